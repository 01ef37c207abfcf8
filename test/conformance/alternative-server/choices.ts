import type { Manners } from "./server.ts";

/** Choices that the interface leaves open to the service. */
export interface Choices {
  /** Whether ids are in upper case. */
  readonly upperCase?: boolean;
  /** The currency of cardholders. Default: EUR, that of transactions. */
  readonly billing?: "EUR" | "USD";
  /** Whether a verb that can change nothing is refused, rather than accepted without effect. */
  readonly refusesRepeats?: boolean;
  /** How many cards an accepted feed creates. Default: the expected number. */
  readonly cardsOfFeed?: number;
  /** Whether the completion of a link creates no cards. */
  readonly mintsNoCards?: boolean;
  /** Whether the end of a consent is known. */
  readonly knowsExpiry?: boolean;
  /** Whether late card data is matched only after hours. */
  readonly matchesLate?: boolean;
  /** The confidence of a match of other amounts. Default: they do not match. */
  readonly unequal?: "MEDIUM" | "LOW";
  /** Whether the debit of a part is a movement of its own until the network clears the part. */
  readonly waitsForLegs?: boolean;
  /** Whether a purchase stays PENDING until all of it has cleared. */
  readonly pendingParts?: boolean;
  /** Whether a debit after the network's clearing adds no message. */
  readonly hidesDuplicates?: boolean;
  /** Whether the message of a netted bank-only transaction is superseded (reading 9). */
  readonly supersedesNetted?: boolean;
  /** Whether the hold amounts outlast the settlement. */
  readonly keepsHold?: boolean;
  /** Whether a retracted match brings a purchase back to PENDING. */
  readonly reopens?: boolean;
  /** Whether a forced re-match finds nothing again. */
  readonly rematchesNothing?: boolean;
  /** Whether the driver posts booked debits only. */
  readonly ignoresWishes?: boolean;
  /** Whether a credit is a bank-only movement, with a transaction. */
  readonly creditsAreMovements?: boolean;
}

/** How a service delivers: the interface guarantees neither the order nor that events come once. */
export interface Delivering {
  /** Whether a quarter of the deliveries is sent twice, at random. */
  readonly repeats?: boolean;
  /** Whether the deliveries of a step are sent in any order. */
  readonly shuffles?: boolean;
}

export type AllChoices = Manners & Choices & Delivering;

/** Returns a generator of numbers from 0 to 1, the same for each seed. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws choices, the same for each seed. */
export function choicesOf(seed: number): AllChoices {
  const random = randomOf(seed);
  const bit = () => random() < 0.5;
  const oneOf = <T>(...all: T[]) => all[Math.floor(random() * all.length)] as T;
  return {
    ...{ style: oneOf("offset", "cursor"), projection: seed % 4 !== 3, exactSelf: bit() },
    ...{ abridged: bit(), remembers: bit(), upperCase: bit(), billing: oneOf("EUR", "USD") },
    ...{ refusesRepeats: bit(), mintsNoCards: !(bit() || bit()), knowsExpiry: bit() },
    ...oneOf({}, { cardsOfFeed: 0 }, { cardsOfFeed: 2 }),
    ...oneOf({}, { unequal: "MEDIUM" as const }, { unequal: "LOW" as const }),
    ...{ matchesLate: bit(), waitsForLegs: bit(), pendingParts: bit(), hidesDuplicates: bit() },
    ...{ supersedesNetted: bit(), keepsHold: bit(), reopens: bit(), rematchesNothing: bit() },
    ...{ repeats: bit(), shuffles: seed % 4 === 0 },
    ...{ ignoresWishes: bit(), creditsAreMovements: bit() },
  };
}
