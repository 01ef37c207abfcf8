import type { Random } from "../../../support/random.ts";
import type { Kind } from "./cases.ts";
import type { Household } from "./households.ts";
import type { Shop } from "./merchants.ts";

/** A purchase's outcome: the authorized amount and the debits. */
export interface Outcome {
  readonly kind: Kind;
  readonly cents: number;
  readonly debits: readonly number[];
}

type Ending = (random: Random, cents: number, household: Household) => Outcome;

/** Draws the outcome of a purchase of `cents`. */
export function drawOutcome(
  random: Random,
  household: Household,
  { trade, neverPosts }: Shop,
  cents: number,
  isForeign: boolean,
): Outcome {
  if (random.chance(neverPosts)) return { kind: "never", cents, debits: [] };
  const ending = isForeign ? foreign : ENDINGS[trade];
  return ending?.(random, cents, household) ?? plain(cents);
}

function plain(cents: number): Outcome {
  return { kind: "plain", cents, debits: [cents] };
}

/** The debit is a share of the authorized amount: `1.02-1.28` in percent `35` of all cases. */
function changed(kind: Kind, shares: Readonly<Record<string, number>>): Ending {
  return (random, cents) => {
    const [low = 1, high = 1] = random.weighted(shares).split("-").map(Number);
    if (low === high) return plain(cents);
    return { kind, cents, debits: [Math.round(cents * (low + random.unit() * (high - low)))] };
  };
}

/** Breakfast, minibar and city tax are added; an early departure reduces the amount. */
const lodging = changed("lodging", { "1-1": 45, "1.02-1.28": 35, "0.8-0.99": 15, "1.3-1.8": 5 });
/** The day's exchange rate and the issuer's fee. */
const foreign = changed("foreign", { "1-1": 40, "0.993-1.007": 30, "1.012-1.034": 30 });
/** Weighed when packed, or partly sold out. */
const weighed = changed("adjusted", { "1-1": 40, "0.95-1.02": 45, "0.7-0.95": 15 });
const partlyCancelled = changed("adjusted", { "0.3-0.95": 1 });

const ENDINGS: Readonly<Partial<Record<string, Ending>>> = {
  restaurant: tipped,
  bar: tipped,
  taxi: tipped,
  salon: tipped,
  fuel,
  lodging,
  carHire: lodging,
  delivery: weighed,
  marketplace: shipped(0.12),
  electronics: shipped(0.08),
  shop: shipped(0.015),
  cafe: (random, cents, household) => {
    return random.chance(0.3) ? tipped(random, cents, household) : plain(cents);
  },
};

/** The guest adds the tip after the authorization. */
function tipped(random: Random, cents: number, { tips, currency }: Household): Outcome {
  if (!random.chance(tips)) return plain(cents);
  const american = [0.1, 0.15, 0.15, 0.18, 0.18, 0.2, 0.2, 0.2, 0.22, 0.25, 0.3];
  const share = random.pick(currency === "USD" ? american : [0.03, 0.05, 0.08, 0.1, 0.1, 0.12]);
  const exact = cents * (1 + share);
  // Half of the guests round the total.
  const total = random.chance(0.5) ? Math.ceil(exact / 100) * 100 : Math.round(exact);
  return { kind: "tip", cents, debits: [Math.max(total, cents)] };
}

/** Minor units of a hold; 0 if pumps place no hold. */
const HOLD_UNITS: Readonly<Record<string, number>> = { KWD: 0, JPY: 0, SEK: 1000, PLN: 400 };

/** The pump places a hold of 1 or of a fixed sum before the amount is known. */
function fuel(random: Random, cents: number, { currency }: Household): Outcome {
  const unit = HOLD_UNITS[currency] ?? 100;
  const way = random.weighted({ exact: 50, one: 20, fixed: 27, beyond: 3 });
  if (way === "exact" || unit === 0) return plain(cents);
  if (way === "one") return { kind: "fuel", cents: 100, debits: [cents] };
  const hold = unit * (way === "beyond" ? 175 : random.pick([50, 75, 100, 100, 120, 125, 150]));
  // The pump stops at the amount of the hold.
  return { kind: "fuel", cents: hold, debits: [Math.min(cents, hold)] };
}

/** Sent in one or several parcels, each debited on dispatch. */
function shipped(share: number): Ending {
  return (random, cents, household) => {
    if (cents <= 2500 || !random.chance(share)) {
      return random.chance(0.012) ? partlyCancelled(random, cents, household) : plain(cents);
    }
    const count = Number(random.weighted({ 2: 70, 3: 20, 4: 8, 5: 2 }));
    const weights = Array.from({ length: count }, () => 0.2 + random.unit());
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const parts = weights.slice(1).map((weight) => Math.round((cents * weight) / total));
    const first = cents - parts.reduce((sum, part) => sum + part, 0);
    return { kind: "split", cents, debits: [first, ...parts] };
  };
}
