import type { Random } from "../../../support/random.ts";

type Trade = (typeof TRADES)[number];

// Name, MCCs, lowest and highest price in euro cents (distributed evenly by magnitude), share of the
// purchases in %, share of those that are released, reversed or expire in %, and suffixes or prefixes
// of the shops' names; "" for none.
const TRADES = [
  ["grocery", "5411", 600, 15_000, 20, 1, "Markt|Supermarket|Foods|Grocers||City|Express|Bio"],
  ["delivery", "5411", 3500, 16_000, 2, 2, "Fresh|Direct|Box"],
  ["restaurant", "5812", 1500, 12_000, 9, 1.5, "Restaurant|Trattoria|Bistro|Kitchen|Grill"],
  ["fastFood", "5814", 550, 2800, 8, 1, "Burger|Pizza|Kebab|Noodles|Bagels|"],
  ["cafe", "5814|5812", 240, 980, 8, 0.8, "Cafe|Coffee|Espresso Bar|Bakery|Backstube"],
  ["bar", "5813", 700, 6500, 3, 1.5, "Bar|Pub|Taproom|Brewing Co"],
  ["transit", "4111", 180, 420, 3, 0.6, "Transit|Metro|Verkehrsbetriebe|Bus Lines"],
  ["taxi", "4121", 700, 5500, 3, 3, "Cabs|Taxi|Rides"],
  ["fuel", "5541|5542", 2500, 11_000, 5, 3, "Fuel|Oil|Petrol|Energy Station|Gas"],
  ["lodging", "7011", 6000, 60_000, 1.4, 10, "Hotel|Inn|Suites|Hostel|Pension"],
  ["carHire", "7512", 9000, 50_000, 0.4, 10, "Rent a Car|Car Hire|Autovermietung"],
  ["airline", "4511", 6000, 60_000, 0.8, 2, "Airways|Air|Airlines"],
  ["marketplace", "5942|5999", 700, 22_000, 8, 4, "Mktpl|Marketplace|Store"],
  ["shop", "5651|5945|5977", 1200, 20_000, 7, 3, "Fashion|Outfitters|Toys|Beauty|Shoes|"],
  ["pharmacy", "5912", 350, 6000, 4, 0.8, "Apotheke|Pharmacy|Drugstore|Drogerie"],
  ["hardware", "5200", 700, 25_000, 2.5, 1, "Baumarkt|Hardware|Home & Garden|DIY"],
  ["electronics", "5732", 1500, 90_000, 1.5, 4, "Elektro|Electronics|Digital"],
  ["salon", "7230", 1800, 11_000, 1, 1, "Salon|Hair|Barbers|Friseur"],
  ["apps", "5816|5818", 99, 2999, 4, 3, "Games|Apps|Media|Play"],
  ["parking", "7523", 120, 2400, 2.5, 2, "Parking|Parkhaus|Garage"],
  ["leisure", "7832|7991|7922", 900, 12_000, 2, 2, "Cinema|Museum|Tickets|Theater"],
  ["plan", "4899|4814|7997|5734", 399, 6500, 0, 1.5, "Stream|Mobile|Fitness|Cloud|Radio|Telecom"],
] as const;
const ONLINE_TRADES = ["delivery", "airline", "marketplace", "electronics", "apps", "plan"];
/** Fares, menus and plans: how many prices a shop has. */
const LIST_PRICES: Readonly<Record<string, number>> = { cafe: 5, transit: 2, apps: 6, plan: 1 };

/** The trades by their share of purchases. */
export const TRADE_SHARES = Object.fromEntries(TRADES.map(([name, , , , share]) => [name, share]));

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
const FORMS = "GmbH|Ltd|SARL|BV|Inc|LLC|S.p.A.|AG|& Co KG|".split("|");
const OPERATORS = "Betriebs|Holding|Gastro|Retail Group|Ventures|Hospitality".split("|");
const SHORT: Readonly<Record<string, string>> = {
  RESTAURANT: "REST",
  SUPERMARKET: "SUPERMKT",
  MARKETPLACE: "MKTPLC",
  ELECTRONICS: "ELEC",
  BROTHERS: "BROS",
  HOTEL: "HTL",
};
/** Payment processors' prefixes of descriptors. */
const SHOPS = { "": 79, "SQ *": 6, "SumUp  *": 5, "ZETTLE_*": 4, "TST* ": 3, "SP ": 2, "NYX*": 1 };
const ONLINE = { "": 68, "PAYPAL *": 18, "KLARNA*": 5, "STRIPE*": 5, "PADDLE.NET* ": 4 };

interface Place {
  readonly city: string;
  readonly country: string;
  /** Minor units for a euro cent. */
  readonly rate: number;
}

export type Shop = ReturnType<typeof drawShop>;

/** Draws a shop, with its names and its terminal. Shops may be alike, as in a town. */
export function drawShop(random: Random, trade: string, { city, country, rate }: Place) {
  const row = TRADES.find(([name]) => name === trade) as Trade;
  const [, mccs, lowest, highest, , percentNeverPosted, words] = row;
  const word = random.pick(words.split("|"));
  let name = random.pick(word === "" ? ALONE : FIRST);
  if (random.chance(0.25)) name = `${name} ${random.pick(SECOND)}`;
  if (word !== "") name = random.chance(0.2) ? `${word} ${name}` : `${name} ${word}`;
  const companyForm = random.pick(FORMS);
  const anyPrice = () => drawPrice(random, lowest * rate, highest * rate);
  const list = Array.from({ length: LIST_PRICES[trade] ?? 0 }, anyPrice);
  return {
    trade,
    mcc: random.pick(mccs.split("|")),
    city,
    country,
    name,
    companyForm,
    /** The legal name if it differs from the shop's name. */
    operator: random.chance(0.025) ? `${random.pick(FIRST)} ${random.pick(OPERATORS)}` : null,
    processor: random.weighted<string>(ONLINE_TRADES.includes(trade) ? ONLINE : SHOPS),
    /** The name as its terminal prints it. */
    printed: terminalText(random, name, companyForm, city),
    /** Whether its descriptors end in a code. */
    hasCode: trade === "marketplace" && random.chance(0.6),
    maxLength: random.pick([22, 22, 22, 25, 40]),
    /** Draws a price, in minor units. */
    price: () => (list.length > 0 ? random.pick(list) : anyPrice()),
    neverPosts: percentNeverPosted / 100,
    /** The usual delay of its debits, in working days. */
    wait: drawWait(random),
  };
}

/** Shortened, squeezed, with a number, a legal form or a city: each in a share of the shops. */
function terminalText(random: Random, name: string, companyForm: string, city: string): string {
  let text = inCapitals(random, name);
  if (random.chance(0.08)) text = text.replace(/[A-Z]+/g, (word) => SHORT[word] ?? word);
  if (random.chance(0.05)) text = text.replaceAll(" ", "");
  if (random.chance(0.03)) text = text.replace(/(?<=[A-Z]{2})[AEIOU](?=[A-Z])/g, "");
  if (random.chance(0.27)) {
    text += random.pick([" #", " ", " NR ", "-", " STORE "]) + random.code(random.int(2, 5));
  }
  if (random.chance(0.1)) text += ` ${companyForm.toUpperCase()}`.trimEnd();
  return random.chance(0.35) ? `${text} ${inCapitals(random, city)}` : text;
}

/** Upper case. Some drop umlauts, some spell them out, some keep them. */
export function inCapitals(random: Random, text: string): string {
  const way = random.weighted({ spelt: 4, dropped: 4, kept: 2 });
  if (way === "kept") return text.toUpperCase();
  const spelt = way === "spelt" ? text.replace(/[äöü]/g, (vowel) => `${vowel}e`) : text;
  return spelt
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toUpperCase();
}

/** The usual delay of an acquirer, in working days. */
export function drawWait(random: Random): number {
  return Number(random.weighted({ 0: 9, 1: 55, 2: 27, 3: 9 }));
}

/** Draws a realistic price: many end in 9 or 0. */
export function drawPrice(random: Random, low: number, high: number): number {
  const cents = Math.max(1, Math.round(low * (high / low) ** random.unit()));
  const ending = random.weighted({ any: 5, nine: 3, round: 2 });
  if (ending === "nine") return Math.max(99, Math.round(cents / 100) * 100 - 1);
  return ending === "round" ? Math.max(50, Math.round(cents / 50) * 50) : cents;
}
