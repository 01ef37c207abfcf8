import type { Account } from "./account.ts";
import { type TradeName, trades } from "./merchants.ts";
import type { Random } from "./random.ts";
import type { Case } from "./record.ts";

/** A purchase's outcome: the authorized amount and the debits. */
export interface Outcome {
  readonly case: Case;
  readonly authorizedCents: number;
  readonly debits: readonly number[];
}

interface Draw {
  readonly random: Random;
  readonly account: Account;
  readonly trade: TradeName;
  readonly cents: number;
}

const plain = (cents: number): Outcome => ({
  case: "plain",
  authorizedCents: cents,
  debits: [cents],
});

/** Draws the outcome of a purchase of `cents`. */
export function drawOutcome(draw: Draw, isForeign: boolean): Outcome {
  const { random, trade, cents } = draw;
  if (random.chance(trades[trade].neverPosts)) {
    return { case: "never", authorizedCents: cents, debits: [] };
  }
  if (isForeign) return foreign(draw);
  return (ENDINGS[trade] ?? (() => plain(cents)))(draw);
}

const ENDINGS: Readonly<Partial<Record<TradeName, (draw: Draw) => Outcome>>> = {
  restaurant: tipped,
  bar: tipped,
  taxi: tipped,
  salon: tipped,
  cafe: (draw) => (draw.random.chance(0.3) ? tipped(draw) : plain(draw.cents)),
  fuel,
  lodging,
  carHire: lodging,
  deliveredGrocery: weighed,
  marketplace: (draw) => shipped(draw, 0.12),
  electronics: (draw) => shipped(draw, 0.08),
  shop: (draw) => shipped(draw, 0.015),
};

/** The guest adds the tip after the authorization. */
function tipped({ random, account, cents }: Draw): Outcome {
  if (!random.chance(account.tips)) return plain(cents);
  const isAmerican = account.currency === "USD";
  const share = isAmerican
    ? random.pick([0.1, 0.15, 0.15, 0.18, 0.18, 0.2, 0.2, 0.2, 0.22, 0.25, 0.3])
    : random.pick([0.03, 0.05, 0.08, 0.1, 0.1, 0.12]);
  const exact = cents * (1 + share);
  // Half of the guests round the total.
  const total = random.chance(0.5) ? Math.ceil(exact / 100) * 100 : Math.round(exact);
  return { case: "tip", authorizedCents: cents, debits: [Math.max(total, cents)] };
}

/** The unit of holds, in minor units; 0 if pumps place no hold. */
const UNIT: Readonly<Record<string, number>> = { KWD: 0, JPY: 0, SEK: 1000, PLN: 400 };

/** The pump places a hold of 1 or of a fixed sum before the amount is known. */
function fuel({ random, account, cents }: Draw): Outcome {
  const unit = UNIT[account.currency] ?? 100;
  const way = random.weighted([
    [50, "exact"],
    [20, "one"],
    [27, "fixed"],
    [3, "beyond"],
  ] as const);
  if (way === "exact" || unit === 0) return plain(cents);
  if (way === "one") return { case: "fuel", authorizedCents: 100, debits: [cents] };
  const hold =
    way === "beyond" ? 175 * unit : random.pick([50, 75, 100, 100, 120, 125, 150]) * unit;
  // The pump stops at the amount of the hold.
  return { case: "fuel", authorizedCents: hold, debits: [Math.min(cents, hold)] };
}

/** Breakfast, minibar and city tax are added; an early departure reduces the amount. */
function lodging({ random, cents }: Draw): Outcome {
  const share = random.weighted([
    [45, 1],
    [35, 1.02 + random.unit() * 0.26],
    [15, 0.8 + random.unit() * 0.19],
    [5, 1.3 + random.unit() * 0.5],
  ]);
  if (share === 1) return plain(cents);
  return { case: "lodging", authorizedCents: cents, debits: [Math.round(cents * share)] };
}

/** The day's exchange rate and the issuer's fee. */
function foreign({ random, cents }: Draw): Outcome {
  const share = random.weighted([
    [40, 1],
    [30, 0.993 + random.unit() * 0.014],
    [30, 1.012 + random.unit() * 0.022],
  ]);
  return { case: "foreign", authorizedCents: cents, debits: [Math.round(cents * share)] };
}

/** Weighed when packed, or partly sold out. */
function weighed({ random, cents }: Draw): Outcome {
  if (random.chance(0.4)) return plain(cents);
  const share = random.chance(0.75) ? 0.95 + random.unit() * 0.07 : 0.7 + random.unit() * 0.25;
  return { case: "adjusted", authorizedCents: cents, debits: [Math.round(cents * share)] };
}

/** Sent in one or several parcels, each debited on dispatch. */
function shipped({ random, cents }: Draw, share: number): Outcome {
  if (cents > 2500 && random.chance(share)) {
    const parts = random.weighted([
      [70, 2],
      [20, 3],
      [8, 4],
      [2, 5],
    ]);
    return { case: "split", authorizedCents: cents, debits: partsOf(random, cents, parts) };
  }
  if (random.chance(0.012)) {
    const left = Math.round(cents * (0.3 + random.unit() * 0.65));
    return { case: "adjusted", authorizedCents: cents, debits: [left] };
  }
  return random.chance(0.04) ? { ...plain(cents), case: "returned" } : plain(cents);
}

function partsOf(random: Random, cents: number, count: number): number[] {
  const weights = Array.from({ length: count }, () => 0.2 + random.unit());
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const parts = weights.slice(1).map((weight) => Math.round((cents * weight) / total));
  return [cents - parts.reduce((sum, part) => sum + part, 0), ...parts];
}
