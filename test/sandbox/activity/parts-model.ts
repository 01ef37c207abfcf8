// Model of a purchase that the bank posts and the network clears in the same parts, in any order.
// Written from the interface (TXN-09, TXN-12, TXN-13, MAT-08), without the sandbox's code.

/** A step for one part or for all. */
export interface Step {
  readonly does: "post" | "clear" | "repost" | "clear the rest" | "rematch" | "retire a duplicate";
  /** The part, by its amount in minor units of the billing currency. */
  readonly part?: number;
  /** The day of January on which the bank posts the part. Default: 5. */
  readonly day?: number;
}

interface Part {
  readonly cents: number;
  isPosted: boolean;
  /** Whether the bank's posting belongs to the purchase; if not, it is bank-only. */
  isMatched: boolean;
  isCleared: boolean;
}

/** The purchase in the feed, in minor units of the billing currency. */
export interface Sums {
  readonly settled: number;
  readonly held: number;
  /** The sum of its bank-only postings; null if not determined. */
  readonly bankOnly: number | null;
  /** The amounts of the superseded messages, ascending; null if not determined. */
  readonly superseded: readonly number[] | null;
}

/** The parts of one purchase. */
export class PartsModel {
  readonly #parts: Part[];
  /** The amount of each bank message of the purchase, and whether it is superseded. */
  readonly #messages: { readonly cents: number; isSuperseded: boolean }[] = [];
  #isRestOneLeg = false;

  constructor(parts: readonly number[]) {
    this.#parts = parts.map((cents) => {
      return { cents, isPosted: false, isMatched: false, isCleared: false };
    });
  }

  /** Whether a step applies now. */
  allows(step: Step): boolean {
    if (step.does === "post") return this.#unposted(step.part) !== undefined;
    if (step.does === "clear") return this.#uncleared(step.part) !== undefined;
    if (step.does === "clear the rest") return this.#parts.some(({ isCleared }) => !isCleared);
    // A posting may belong to any of several equal parts.
    const isDistinct = new Set(this.#parts.map(({ cents }) => cents)).size === this.#parts.length;
    if (!isDistinct || this.#isRestOneLeg) return false;
    if (step.does === "retire a duplicate") return this.#parts.some(({ isPosted }) => isPosted);
    return this.#parts.some(({ cents, isMatched }) => {
      return isMatched && (step.does === "rematch" || cents === step.part);
    });
  }

  /** Whether clearing this part clears the rest: the network's last clearing. */
  isLast(): boolean {
    return this.#parts.filter(({ isCleared }) => !isCleared).length === 1;
  }

  take(step: Step): void {
    if (step.does === "post") {
      const part = this.#unposted(step.part);
      if (part) part.isPosted = true;
    }
    if (step.does === "clear") {
      const part = this.#uncleared(step.part);
      if (part) part.isCleared = true;
      // TXN-13: the network's message replaces the bank's.
      const message = this.#messages.find((one) => one.cents === step.part && !one.isSuperseded);
      if (message) message.isSuperseded = true;
    }
    if (step.does === "clear the rest") {
      this.#isRestOneLeg = !this.isLast();
      for (const part of this.#parts) part.isCleared = true;
      for (const message of this.#messages) message.isSuperseded = true;
    }
    if (step.does === "repost") {
      const part = this.#parts.find(({ cents, isMatched }) => cents === step.part && isMatched);
      // The existing posting settles the part.
      const old = this.#messages.find((one) => one.cents === step.part && !one.isSuperseded);
      if (old) old.isSuperseded = true;
      if (part) this.#messages.push({ cents: part.cents, isSuperseded: part.isCleared });
    }
    this.#match();
  }

  sums(): Sums {
    const sum = (parts: readonly Part[]) => parts.reduce((total, { cents }) => total + cents, 0);
    const settled = sum(this.#parts.filter((part) => part.isCleared || part.isMatched));
    const bankOnly = sum(this.#parts.filter((part) => part.isPosted && !part.isMatched));
    const superseded = this.#messages.filter(({ isSuperseded }) => isSuperseded);
    return {
      settled,
      held: sum(this.#parts) - settled,
      // The bank's parts differ from the network's last leg, so the match time is not determined.
      bankOnly: this.#isRestOneLeg ? null : bankOnly,
      superseded: this.#isRestOneLeg
        ? null
        : superseded.map(({ cents }) => cents).toSorted((a, b) => a - b),
    };
  }

  /** Whether a posting belongs to the purchase, by its leg or by the remaining sum. */
  #match(): void {
    const match = (part: Part) => {
      part.isMatched = true;
      this.#messages.push({ cents: part.cents, isSuperseded: part.isCleared });
    };
    if (this.#isRestOneLeg) return;
    for (const part of this.#parts) {
      if (part.isPosted && part.isCleared && !part.isMatched) match(part);
    }
    const left = this.#parts.filter((part) => !part.isCleared && !part.isMatched);
    if (left.every(({ isPosted }) => isPosted)) left.forEach(match);
  }

  #unposted(cents: number | undefined): Part | undefined {
    const found = this.#parts.filter((part) => part.cents === cents && !part.isPosted);
    return found.find(({ isCleared }) => isCleared) ?? found[0];
  }

  #uncleared(cents: number | undefined): Part | undefined {
    const found = this.#parts.filter((part) => part.cents === cents && !part.isCleared);
    return (
      found.find(({ isMatched }) => isMatched) ?? found.find(({ isPosted }) => isPosted) ?? found[0]
    );
  }
}
