/** One way to settle a purchase: by one debit, or by several. Purchases and debits are numbered. */
export interface Contender {
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
export class Contest {
  readonly winners: Contender[] = [];
  readonly #purchaseCount: number;
  /** The live contenders of each purchase, then of each debit, the best first; null once taken. */
  readonly #sides: (Contender[] | null)[];
  readonly #fallen = new Set<Contender>();
  readonly #unseen = new Set<number>();

  constructor(purchaseCount: number, postingCount: number) {
    this.#purchaseCount = purchaseCount;
    this.#sides = Array.from({ length: purchaseCount + postingCount }, () => []);
  }

  isPurchaseFree(purchase: number): boolean {
    return this.#sides[purchase] !== null;
  }

  isPostingFree(posting: number): boolean {
    return this.#sides[this.#purchaseCount + posting] !== null;
  }

  /** Lets contenders in, but for those that come too late. */
  enter(contenders: readonly Contender[]): void {
    for (const contender of contenders) {
      const sides = this.#sidesOf(contender);
      if (sides.some((side) => this.#sides[side] === null)) continue;
      for (const side of sides) {
        this.#sides[side]?.push(contender);
        this.#unseen.add(side);
      }
    }
    for (const side of this.#unseen) this.#sides[side]?.sort((a, b) => b.rank - a.rank);
  }

  /** Lets win whatever beats all others. */
  settle(): void {
    for (const side of this.#unseen) {
      this.#unseen.delete(side);
      const [best] = this.#live(side);
      if (best && this.#beatsAll(best)) this.award(best);
    }
  }

  /** Lets a contender win, and all others of its purchase and debits fall. */
  award(winner: Contender): void {
    this.winners.push(winner);
    for (const side of this.#sidesOf(winner)) {
      for (const fallen of this.#live(side)) {
        this.#fallen.add(fallen);
        for (const other of this.#sidesOf(fallen)) this.#unseen.add(other);
      }
    }
    for (const side of this.#sidesOf(winner)) this.#sides[side] = null;
  }

  /** All ties that hang together with those of a purchase: what nobody beats, nor beats others. */
  tiesOf(purchase: number): readonly Contender[] {
    const joined = new Set([purchase]);
    const ties = new Set<Contender>();
    for (const side of joined) {
      for (const contender of this.#live(side)) {
        if (!this.#isNearBest(contender)) continue;
        ties.add(contender);
        for (const other of this.#sidesOf(contender)) joined.add(other);
      }
    }
    return [...ties];
  }

  #sidesOf({ purchase, postings }: Contender): number[] {
    return [purchase, ...postings.map((posting) => this.#purchaseCount + posting)];
  }

  #live(side: number): readonly Contender[] {
    const live = this.#sides[side]?.filter((contender) => !this.#fallen.has(contender));
    if (!live) return [];
    this.#sides[side] = live;
    return live;
  }

  #isNearBest(contender: Contender): boolean {
    return this.#sidesOf(contender).every((side) => {
      const [best] = this.#live(side);
      return best !== undefined && contender.rank > best.rank - TIE;
    });
  }

  #beatsAll(contender: Contender): boolean {
    return this.#sidesOf(contender).every((side) => {
      const [first, second] = this.#live(side);
      return first === contender && (!second || second.rank <= contender.rank - TIE);
    });
  }
}
