/** One way to settle a purchase: by one debit, or by several. Purchases and debits are numbered. */
export interface Proposal {
  readonly purchase: number;
  readonly postings: readonly number[];
  /** What it is worth, in steps of 0.0001: whole numbers, so that differences are exact. */
  readonly rank: number;
}

/** Two that are closer than 0.05 are a tie. */
const TIE = 500;

/**
 * Gives each purchase and each debit away at most once, greedily. A contender wins that beats all
 * others of its purchase and of its debits by 0.05; of two that tie neither does, until the other
 * one falls away. A win only ever clears the way of others, so that the outcome is the same in
 * whatever order they are looked at.
 */
export class Assignment {
  readonly assigned: Proposal[] = [];
  readonly #purchaseCount: number;
  /** The live contenders of each purchase, then of each debit, the best first; null once taken. */
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

  /** Lets contenders in, but for those that come too late. */
  add(contenders: readonly Proposal[]): void {
    for (const contender of contenders) {
      const sides = this.#nodesOf(contender);
      if (sides.some((side) => this.#remaining[side] === null)) continue;
      for (const side of sides) {
        this.#remaining[side]?.push(contender);
        this.#changed.add(side);
      }
    }
    for (const side of this.#changed) this.#remaining[side]?.sort((a, b) => b.rank - a.rank);
  }

  /** Lets win whatever beats all others. */
  assignWinners(): void {
    for (const side of this.#changed) {
      this.#changed.delete(side);
      const [best] = this.#proposalsOf(side);
      if (best && this.#beatsAll(best)) this.assign(best);
    }
  }

  /** Lets a contender win, and all others of its purchase and debits fall. */
  assign(winner: Proposal): void {
    this.assigned.push(winner);
    for (const side of this.#nodesOf(winner)) {
      for (const fallen of this.#proposalsOf(side)) {
        this.#rejected.add(fallen);
        for (const other of this.#nodesOf(fallen)) this.#changed.add(other);
      }
    }
    for (const side of this.#nodesOf(winner)) this.#remaining[side] = null;
  }

  /** All ties that hang together with those of a purchase: what nobody beats, nor beats others. */
  tiesOf(purchase: number): readonly Proposal[] {
    const joined = new Set([purchase]);
    const ties = new Set<Proposal>();
    for (const side of joined) {
      for (const contender of this.#proposalsOf(side)) {
        if (!this.#isTiedForBest(contender)) continue;
        ties.add(contender);
        for (const other of this.#nodesOf(contender)) joined.add(other);
      }
    }
    return [...ties];
  }

  #nodesOf({ purchase, postings }: Proposal): number[] {
    return [purchase, ...postings.map((posting) => this.#purchaseCount + posting)];
  }

  #proposalsOf(side: number): readonly Proposal[] {
    const live = this.#remaining[side]?.filter((contender) => !this.#rejected.has(contender));
    if (!live) return [];
    this.#remaining[side] = live;
    return live;
  }

  #isTiedForBest(contender: Proposal): boolean {
    return this.#nodesOf(contender).every((side) => {
      const [best] = this.#proposalsOf(side);
      return best !== undefined && contender.rank > best.rank - TIE;
    });
  }

  #beatsAll(contender: Proposal): boolean {
    return this.#nodesOf(contender).every((side) => {
      const [first, second] = this.#proposalsOf(side);
      return first === contender && (!second || second.rank <= contender.rank - TIE);
    });
  }
}
