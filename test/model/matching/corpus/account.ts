import { drawMerchant, drawPrice, type Merchant, type TradeName, trades } from "./merchants.ts";
import type { Random } from "./random.ts";
import { type Bank, drawSign, type Sign } from "./texts.ts";

/** A household with an account, its purchases and its bank's statement style. */
export interface Account {
  readonly number: number;
  readonly currency: string;
  /** How many minor units a cent of the euro is worth. */
  readonly rate: number;
  readonly bank: Bank;
  readonly tips: number;
  /** Last digits of the enrolled cards and of the others. */
  readonly cards: readonly string[];
  readonly otherCard: string | null;
  readonly signs: readonly Sign[];
  readonly favourites: readonly Sign[];
  readonly plans: readonly Sign[];
  readonly habits: readonly Habit[];
  readonly purchasesADay: number;
}

/** A regular purchase at the same price on most working days. */
export interface Habit {
  readonly sign: Sign;
  readonly cents: number;
  readonly chance: number;
  /** The probability of two on one day: the way there and back. */
  readonly twice: number;
}

interface Country {
  readonly currency: string;
  readonly rate: number;
  readonly cities: readonly string[];
  readonly styles: readonly Bank["style"][];
  readonly tips: number;
}

const COUNTRIES: Readonly<Record<string, Country>> = {
  DE: country("EUR", 1, "Berlin Hamburg Köln Leipzig", ["german", "germanShort", "plain"], 0.06),
  FR: country("EUR", 1, "Lyon Paris Nantes Lille", ["french", "french", "withPlace"], 0.02),
  IE: country("EUR", 1, "Dublin Galway Cork", ["plain", "withPlace", "british"], 0.05),
  NL: country("EUR", 1, "Utrecht Amsterdam Breda", ["dutch", "dutch", "withPlace"], 0.02),
  ES: country("EUR", 1, "Madrid Valencia Sevilla", ["spanish", "withPlace"], 0.02),
  IT: country("EUR", 1, "Milano Torino Bari", ["italian", "withPlace"], 0.02),
  GB: country("GBP", 0.86, "London Leeds Bristol York", ["british", "plain", "withPlace"], 0.05),
  US: country("USD", 1.1, "Austin Denver Boston Portland", ["american", "american", "plain"], 0.55),
  SE: country("SEK", 11, "Stockholm Lund Umea", ["plain", "withPlace"], 0.02),
  PL: country("PLN", 4.3, "Warszawa Gdansk Krakow", ["plain", "withPlace"], 0.02),
  JP: country("JPY", 1.6, "Tokyo Osaka", ["plain", "withPlace"], 0),
  KW: country("KWD", 3.3, "Kuwait City", ["plain", "withPlace"], 0.02),
};

function country(
  currency: string,
  rate: number,
  cities: string,
  styles: readonly Bank["style"][],
  tips: number,
): Country {
  const names = currency === "KWD" ? [cities] : cities.split(" ");
  return { currency, rate, cities: names, styles, tips };
}

const HOMES: readonly (readonly [weight: number, country: string])[] = [
  [8, "DE"],
  [5, "FR"],
  [4, "IE"],
  [3, "NL"],
  [3, "ES"],
  [3, "IT"],
  [6, "GB"],
  [9, "US"],
  [1, "SE"],
  [1, "PL"],
  [1, "JP"],
  [1, "KW"],
];

export function drawAccount(random: Random, number: number): Account {
  // Every country occurs; further accounts are in the most common ones.
  const home = Object.keys(COUNTRIES)[number] ?? random.weighted(HOMES);
  const { currency, rate, cities, styles, tips } = COUNTRIES[home] as Country;
  const place = () => [random.pick(cities), home] as const;
  const city = place();
  // Most purchases are at home, a tenth elsewhere.
  const where = () => (random.chance(0.9) ? city : place());
  const signs = Array.from({ length: 60 }, () =>
    drawSign(random, drawMerchant(random, drawTrade(random), where())),
  );
  const planCount = random.int(2, 6);
  const draw = (trade: TradeName): Sign => drawSign(random, drawMerchant(random, trade, city));
  const habits: Habit[] = [];
  // One in five commutes, one in seven buys coffee on the way.
  if (number % 5 === 2) habits.push(habitOf(random, draw("transit"), 0.6, 0.4));
  if (number % 7 === 4) habits.push(habitOf(random, draw("cafe"), 0.45, 0.03));
  return {
    number,
    currency,
    rate,
    bank: drawBank(random, number, styles),
    tips,
    cards: Array.from({ length: random.pick([1, 1, 2, 2, 3]) }, () => random.digits(4)),
    otherCard: random.chance(0.25) ? random.digits(4) : null,
    signs,
    favourites: signs.slice(0, random.int(10, 20)),
    plans: Array.from({ length: planCount }, () => draw("plan")),
    habits,
    purchasesADay: 0.7 + random.unit() * 1.1,
  };
}

function habitOf(random: Random, sign: Sign, chance: number, twice: number): Habit {
  return { sign, cents: random.pick(sign.merchant.prices), chance, twice };
}

function drawBank(random: Random, number: number, styles: readonly Bank["style"][]): Bank {
  // One bank in twenty never names the merchant.
  const isMute = number % 20 === 13;
  const style = isMute ? "mute" : random.pick(styles);
  return {
    style,
    maxLength: random.pick(LENGTHS[style] ?? [24, 32, 40, 140]),
    names: isMute ? 0 : random.pick([0, 0.3, 0.7, 0.9]),
    tellsPurchaseDay: random.chance(0.3),
    booksOnWeekends: random.chance(0.25),
  };
}

/** A statement line with a long prefix has room for a name after it. */
const LENGTHS: Readonly<Partial<Record<Bank["style"], readonly number[]>>> = {
  german: [64, 140],
  dutch: [48, 64, 140],
  spanish: [48, 64, 140],
  italian: [40, 64, 140],
  french: [40, 64, 140],
  american: [32, 40, 64, 140],
};

const TRADE_WEIGHTS = (Object.keys(trades) as TradeName[]).map(
  (name) => [trades[name].share, name] as const,
);

function drawTrade(random: Random): TradeName {
  return random.weighted(TRADE_WEIGHTS);
}

/** A trip adds merchants of another country. */
export function drawForeign(random: Random, home: string): { sign: Sign; currency: string } {
  const abroad = Object.entries(COUNTRIES).filter(([, { currency }]) => currency !== home);
  const [code, { cities, currency }] = random.pick(abroad);
  const merchant = drawMerchant(random, drawTrade(random), [random.pick(cities), code]);
  return { sign: drawSign(random, merchant), currency };
}

/** A purchase's amount, in minor units of the account's currency. */
export function drawCents(random: Random, { trade, prices }: Merchant, rate: number): number {
  const cents = prices.length > 0 ? random.pick(prices) : drawPrice(random, trades[trade].cents);
  return Math.max(1, Math.round(cents * rate));
}
