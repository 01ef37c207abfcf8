/** A proposal to match a purchase with one or several debits. Both are identified by index. */
export interface Proposal {
  readonly purchase: number;
  readonly postings: readonly number[];
  /** The score in steps of 0.0001: an integer, so that differences are exact. */
  readonly rank: number;
}

/** Proposals closer than 0.05 are tied. */
const TIE = 500;

/**
 * Assigns each purchase and each debit at most once, greedily. A proposal wins if its rank exceeds
 * every competitor for its purchase and its debits by at least 0.05. Tied proposals wait until a
 * competitor is rejected. A win only removes competitors, so the order of evaluation makes no
 * difference.
 */
export class Assignment {
  readonly assigned: Proposal[] = [];
  readonly #purchaseCount: number;
  /** The open proposals of each purchase, then of each debit, best first; null once assigned. */
  readonly #remaining: (Proposal[] | null)[];
  readonly #rejected = new Set<Proposal>();
  readonly #changed = new Set<number>();

  constructor(purchaseCount: number, postingCount: number) {
    this.#purchaseCount = purchaseCount;
    this.#remaining = Array.from({ length: purchaseCount + postingCount }, () => []);
  }

  isPurchaseFree(purchase: number): boolean {
    return this.#remaining[purchase] !== null;
  }

  isPostingFree(posting: number): boolean {
    return this.#remaining[this.#purchaseCount + posting] !== null;
  }

  /** Adds proposals, except for purchases and debits that are assigned. */
  add(proposals: readonly Proposal[]): void {
    for (const proposal of proposals) {
      const nodes = this.#nodesOf(proposal);
      if (nodes.some((node) => this.#remaining[node] === null)) continue;
      for (const node of nodes) {
        this.#remaining[node]?.push(proposal);
        this.#changed.add(node);
      }
    }
    for (const node of this.#changed) this.#remaining[node]?.sort((a, b) => b.rank - a.rank);
  }

  /** Assigns every proposal that beats its competitors. */
  assignWinners(): void {
    for (const node of this.#changed) {
      this.#changed.delete(node);
      const [best] = this.#proposalsOf(node);
      if (best && this.#beatsAll(best)) this.assign(best);
    }
  }

  /** Assigns a proposal, and rejects its competitors. */
  assign(winner: Proposal): void {
    this.assigned.push(winner);
    for (const node of this.#nodesOf(winner)) {
      for (const rejected of this.#proposalsOf(node)) {
        this.#rejected.add(rejected);
        for (const other of this.#nodesOf(rejected)) this.#changed.add(other);
      }
    }
    for (const node of this.#nodesOf(winner)) this.#remaining[node] = null;
  }

  /** All tied proposals that are connected with those of a purchase by common debits. */
  tiesOf(purchase: number): readonly Proposal[] {
    const joined = new Set([purchase]);
    const ties = new Set<Proposal>();
    for (const node of joined) {
      for (const proposal of this.#proposalsOf(node)) {
        if (!this.#isTiedForBest(proposal)) continue;
        ties.add(proposal);
        for (const other of this.#nodesOf(proposal)) joined.add(other);
      }
    }
    return [...ties];
  }

  #nodesOf({ purchase, postings }: Proposal): number[] {
    return [purchase, ...postings.map((posting) => this.#purchaseCount + posting)];
  }

  #proposalsOf(node: number): readonly Proposal[] {
    const open = this.#remaining[node]?.filter((proposal) => !this.#rejected.has(proposal));
    if (!open) return [];
    this.#remaining[node] = open;
    return open;
  }

  #isTiedForBest(proposal: Proposal): boolean {
    return this.#nodesOf(proposal).every((node) => {
      const [best] = this.#proposalsOf(node);
      return best !== undefined && proposal.rank > best.rank - TIE;
    });
  }

  #beatsAll(proposal: Proposal): boolean {
    return this.#nodesOf(proposal).every((node) => {
      const [first, second] = this.#proposalsOf(node);
      return first === proposal && (!second || second.rank <= proposal.rank - TIE);
    });
  }
}
