import type { PreparedBank, PreparedCard } from "./score.ts";

/** A proposal to match a purchase with one or several debits. */
export interface Proposal {
  readonly card: PreparedCard;
  readonly banks: readonly PreparedBank[];
  /** The score in steps of 0.0001: an integer, so that differences are exact. */
  readonly rank: number;
}

type Side = PreparedCard | PreparedBank;

/** Proposals closer than 0.05 are tied. */
const TIE = 500;

function sidesOf({ card, banks }: Proposal): readonly Side[] {
  return [card, ...banks];
}

/**
 * Assigns each purchase and each debit at most once, greedily. A proposal wins if its rank exceeds
 * every competitor for its purchase and its debits by at least 0.05. Tied proposals wait until a
 * competitor is rejected. A win only removes competitors, so the order of evaluation makes no
 * difference.
 */
export class Assignment {
  readonly assigned: Proposal[] = [];
  /** The open proposals of each purchase and debit, best first; null once assigned. */
  readonly #open = new Map<Side, Proposal[] | null>();
  readonly #rejected = new Set<Proposal>();
  readonly #changed = new Set<Side>();

  isFree(side: Side): boolean {
    return this.#open.get(side) !== null;
  }

  /** Adds proposals, except for purchases and debits that are assigned. */
  add(proposals: readonly Proposal[]): void {
    for (const proposal of proposals) {
      const sides = sidesOf(proposal);
      if (!sides.every((side) => this.isFree(side))) continue;
      for (const side of sides) {
        const open = this.#open.get(side) ?? [];
        open.push(proposal);
        this.#open.set(side, open);
        this.#changed.add(side);
      }
    }
    for (const side of this.#changed) this.#open.get(side)?.sort((a, b) => b.rank - a.rank);
  }

  /** Assigns every proposal that beats its competitors. */
  assignWinners(): void {
    for (const side of this.#changed) {
      this.#changed.delete(side);
      const [best] = this.#proposalsOf(side);
      if (best && this.#beatsAll(best)) this.assign(best);
    }
  }

  /** Assigns a proposal, and rejects its competitors. */
  assign(winner: Proposal): void {
    this.assigned.push(winner);
    for (const side of sidesOf(winner)) {
      for (const rejected of this.#proposalsOf(side)) {
        this.#rejected.add(rejected);
        for (const other of sidesOf(rejected)) this.#changed.add(other);
      }
    }
    for (const side of sidesOf(winner)) this.#open.set(side, null);
  }

  /** All tied proposals that are connected with those of a purchase by common debits. */
  tiesOf(card: PreparedCard): readonly Proposal[] {
    const joined = new Set<Side>([card]);
    const ties = new Set<Proposal>();
    for (const side of joined) {
      for (const proposal of this.#proposalsOf(side)) {
        if (!this.#isTiedForBest(proposal)) continue;
        ties.add(proposal);
        for (const other of sidesOf(proposal)) joined.add(other);
      }
    }
    return [...ties];
  }

  #proposalsOf(side: Side): readonly Proposal[] {
    const open = this.#open.get(side)?.filter((proposal) => !this.#rejected.has(proposal));
    if (!open) return [];
    this.#open.set(side, open);
    return open;
  }

  #isTiedForBest(proposal: Proposal): boolean {
    return sidesOf(proposal).every((side) => {
      const [best] = this.#proposalsOf(side);
      return best !== undefined && proposal.rank > best.rank - TIE;
    });
  }

  #beatsAll(proposal: Proposal): boolean {
    return sidesOf(proposal).every((side) => {
      const [first, second] = this.#proposalsOf(side);
      return first === proposal && (!second || second.rank <= proposal.rank - TIE);
    });
  }
}
