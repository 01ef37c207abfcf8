import type { Random } from "./random.ts";

/** A trade: names, prices and outcomes. */
interface Trade {
  readonly mccs: readonly string[];
  /** Name suffixes or prefixes; "" for a name without one. */
  readonly words: readonly string[];
  /** In euro cents, distributed evenly by magnitude. */
  readonly cents: readonly [low: number, high: number];
  /** Whether prices come from a list: a fare, a menu, a plan. */
  readonly listPrices?: number;
  /** Approximate share of purchases, in percent. */
  readonly share: number;
  /** The share of its purchases that never post: released, reversed or expired. */
  readonly neverPosts: number;
  readonly isOnline?: boolean;
}

export const trades = {
  grocery: {
    mccs: ["5411"],
    words: ["Markt", "Supermarket", "Foods", "Grocers", "", "City", "Express", "Bio"],
    cents: [600, 15_000],
    share: 20,
    neverPosts: 0.01,
  },
  deliveredGrocery: {
    mccs: ["5411"],
    words: ["Fresh", "Direct", "Box"],
    cents: [3500, 16_000],
    share: 2,
    neverPosts: 0.02,
    isOnline: true,
  },
  restaurant: {
    mccs: ["5812"],
    words: ["Restaurant", "Trattoria", "Bistro", "Kitchen", "Grill", "Sushi", "Diner", "Gasthaus"],
    cents: [1500, 12_000],
    share: 9,
    neverPosts: 0.015,
  },
  fastFood: {
    mccs: ["5814"],
    words: ["Burger", "Pizza", "Kebab", "Noodles", "Bagels", ""],
    cents: [550, 2800],
    share: 8,
    neverPosts: 0.01,
  },
  cafe: {
    mccs: ["5814", "5812"],
    words: ["Cafe", "Coffee", "Espresso Bar", "Coffee Roasters", "Bakery", "Backstube"],
    cents: [240, 980],
    listPrices: 5,
    share: 8,
    neverPosts: 0.008,
  },
  bar: {
    mccs: ["5813"],
    words: ["Bar", "Pub", "Taproom", "Brewing Co"],
    cents: [700, 6500],
    share: 3,
    neverPosts: 0.015,
  },
  transit: {
    mccs: ["4111"],
    words: ["Transit", "Metro", "Verkehrsbetriebe", "Bus Lines"],
    cents: [180, 420],
    listPrices: 2,
    share: 3,
    neverPosts: 0.006,
  },
  taxi: {
    mccs: ["4121"],
    words: ["Cabs", "Taxi", "Rides"],
    cents: [700, 5500],
    share: 3,
    neverPosts: 0.03,
  },
  fuel: {
    mccs: ["5541", "5542"],
    words: ["Fuel", "Oil", "Petrol", "Energy Station", "Gas"],
    cents: [2500, 11_000],
    share: 5,
    neverPosts: 0.03,
  },
  lodging: {
    mccs: ["7011"],
    words: ["Hotel", "Inn", "Suites", "Hostel", "Pension"],
    cents: [6000, 60_000],
    share: 1.4,
    neverPosts: 0.1,
  },
  carHire: {
    mccs: ["7512"],
    words: ["Rent a Car", "Car Hire", "Autovermietung"],
    cents: [9000, 50_000],
    share: 0.4,
    neverPosts: 0.1,
  },
  airline: {
    mccs: ["4511"],
    words: ["Airways", "Air", "Airlines"],
    cents: [6000, 60_000],
    share: 0.8,
    neverPosts: 0.02,
    isOnline: true,
  },
  marketplace: {
    mccs: ["5942", "5999"],
    words: ["Mktpl", "Marketplace", "Store"],
    cents: [700, 22_000],
    share: 8,
    neverPosts: 0.04,
    isOnline: true,
  },
  shop: {
    mccs: ["5651", "5945", "5977", "5733"],
    words: ["Fashion", "Outfitters", "Toys", "Beauty", "Music", "Shoes", ""],
    cents: [1200, 20_000],
    share: 7,
    neverPosts: 0.03,
  },
  pharmacy: {
    mccs: ["5912"],
    words: ["Apotheke", "Pharmacy", "Drugstore", "Drogerie"],
    cents: [350, 6000],
    share: 4,
    neverPosts: 0.008,
  },
  hardware: {
    mccs: ["5200"],
    words: ["Baumarkt", "Hardware", "Home & Garden", "DIY"],
    cents: [700, 25_000],
    share: 2.5,
    neverPosts: 0.01,
  },
  electronics: {
    mccs: ["5732"],
    words: ["Elektro", "Electronics", "Digital"],
    cents: [1500, 90_000],
    share: 1.5,
    neverPosts: 0.04,
    isOnline: true,
  },
  salon: {
    mccs: ["7230"],
    words: ["Salon", "Hair", "Barbers", "Friseur"],
    cents: [1800, 11_000],
    share: 1,
    neverPosts: 0.01,
  },
  apps: {
    mccs: ["5816", "5818"],
    words: ["Games", "Apps", "Media", "Play"],
    cents: [99, 2999],
    listPrices: 6,
    share: 4,
    neverPosts: 0.03,
    isOnline: true,
  },
  parking: {
    mccs: ["7523"],
    words: ["Parking", "Parkhaus", "Garage"],
    cents: [120, 2400],
    share: 2.5,
    neverPosts: 0.02,
  },
  leisure: {
    mccs: ["7832", "7991", "7922"],
    words: ["Cinema", "Museum", "Tickets", "Theater"],
    cents: [900, 12_000],
    share: 2,
    neverPosts: 0.02,
  },
  plan: {
    mccs: ["4899", "4814", "7997", "5734"],
    words: ["Stream", "Mobile", "Fitness", "Cloud", "Radio", "Telecom"],
    cents: [399, 6500],
    listPrices: 1,
    share: 0,
    neverPosts: 0.015,
    isOnline: true,
  },
} as const satisfies Record<string, Trade>;

export type TradeName = keyof typeof trades;

/** A shop, with its names. */
export interface Merchant {
  readonly trade: TradeName;
  readonly mcc: string;
  readonly name: string;
  /** The legal name if it differs from the shop's name, or null. */
  readonly operator: string | null;
  readonly companyForm: string;
  /** The payment processor's descriptor prefix, or "". */
  readonly processor: string;
  readonly storeNumber: string;
  readonly city: string;
  readonly country: string;
  /** The price list in cents; empty for arbitrary prices. */
  readonly prices: readonly number[];
}

const FIRST = [
  "Alder Amber Anchor Arbor Aurora Bella Birch Blue Bramble Bruno Castle Cedar Clover",
  "Copper Corner Cosmo Daily Delta Dorn Ember Falk Fern Fox Garden Giulia Golden Green",
  "Grove Hafen Harbor Hazel Heron Iris Ivory Jade Juniper Kastanie Kirsch König Lake Lark",
  "Linden Luna Lupo Maple Marina Meadow Mira Müller Nord Nova Oak Olive Orchard Otto Pearl",
  "Pepe Pine Polar Quarry Quill Rosso Royal Saffron Schäfer Sesam Silver Sol Stone Sunny",
  "Tavira Tiger Tulip Union Valley Vega Verde Violet Walnut Weber Willow Winter Yuki Zeno",
].flatMap((names) => names.split(" "));
const SECOND = "& Sons|House|Lane|Point|Brothers|am Markt|Hill|No 9|Park|Street|West|24".split("|");
const ALONE = "Zarbo Fennimo Kaldio Trevano Bluwo Ostrea Minkaro Vindra Lopeto Quaso".split(" ");
const FORMS = ["GmbH", "Ltd", "SARL", "BV", "Inc", "LLC", "S.p.A.", "AG", "& Co KG", ""];
const PROCESSORS: readonly (readonly [number, string])[] = [
  [78, ""],
  [6, "SQ *"],
  [5, "SumUp  *"],
  [3, "ZETTLE_*"],
  [3, "TST* "],
  [2, "SP "],
  [2, "NYX*"],
  [1, "IZ *"],
];
const ONLINE_PROCESSORS: readonly (readonly [number, string])[] = [
  [68, ""],
  [18, "PAYPAL *"],
  [5, "KLARNA*"],
  [5, "STRIPE*"],
  [4, "PADDLE.NET* "],
];

/** Draws a merchant of a trade. Merchants may be alike, as in a town. */
export function drawMerchant(
  random: Random,
  trade: TradeName,
  [city, country]: readonly [city: string, country: string],
): Merchant {
  const { mccs, words, cents, listPrices, isOnline }: Trade = trades[trade];
  const word = random.pick(words);
  let name = word === "" ? random.pick(ALONE) : random.pick(FIRST);
  if (random.chance(0.25)) name = `${name} ${random.pick(SECOND)}`;
  if (word !== "") name = random.chance(0.2) ? `${word} ${name}` : `${name} ${word}`;
  return {
    trade,
    mcc: random.pick(mccs),
    name,
    operator: random.chance(0.025) ? `${random.pick(FIRST)} ${random.pick(OPERATORS)}` : null,
    companyForm: random.pick(FORMS),
    processor: random.weighted(isOnline ? ONLINE_PROCESSORS : PROCESSORS),
    storeNumber: random.chance(0.45) ? random.digits(random.int(2, 5)) : "",
    city,
    country,
    prices: Array.from({ length: listPrices ?? 0 }, () => drawPrice(random, cents)),
  };
}

const OPERATORS = ["Betriebs", "Holding", "Gastro", "Retail Group", "Ventures", "Hospitality"];

/** Draws a realistic price: many end in 9 or 0. */
export function drawPrice(random: Random, [low, high]: readonly [number, number]): number {
  const cents = Math.round(low * (high / low) ** random.unit());
  const ending = random.weighted([
    [5, "any"],
    [3, "nine"],
    [2, "round"],
  ] as const);
  if (ending === "nine") return Math.max(99, Math.round(cents / 100) * 100 - 1);
  return ending === "round" ? Math.max(50, Math.round(cents / 50) * 50) : cents;
}
