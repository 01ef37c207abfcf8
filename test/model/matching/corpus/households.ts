import type { Random } from "../../../support/random.ts";
import { drawShop, type Shop, TRADE_SHARES } from "./merchants.ts";

type Country = (typeof COUNTRIES)[number];

// Code, currency, minor units for a euro cent, probability of a tip, share of the accounts, styles
// of statements, cities.
const COUNTRIES = [
  ["DE", "EUR", 1, 0.06, 8, "german germanShort plain", "Berlin Hamburg Köln Leipzig"],
  ["FR", "EUR", 1, 0.02, 5, "french french withPlace", "Lyon Paris Nantes Lille"],
  ["IE", "EUR", 1, 0.05, 4, "plain withPlace british", "Dublin Galway Cork"],
  ["NL", "EUR", 1, 0.02, 3, "dutch dutch withPlace", "Utrecht Amsterdam Breda"],
  ["ES", "EUR", 1, 0.02, 3, "spanish withPlace", "Madrid Valencia Sevilla"],
  ["IT", "EUR", 1, 0.02, 3, "italian withPlace", "Milano Torino Bari"],
  ["GB", "GBP", 0.86, 0.05, 6, "british plain withPlace", "London Leeds Bristol York"],
  ["US", "USD", 1.1, 0.55, 9, "american american plain", "Austin Denver Boston Portland"],
  ["SE", "SEK", 11, 0.02, 1, "plain withPlace", "Stockholm Lund Umea"],
  ["PL", "PLN", 4.3, 0.02, 1, "plain withPlace", "Warszawa Gdansk Krakow"],
  ["JP", "JPY", 1.6, 0, 1, "plain withPlace", "Tokyo Osaka"],
  ["KW", "KWD", 3.3, 0.02, 1, "plain withPlace", "Hawally Salmiya"],
] as const;
const COUNTRY_SHARES = Object.fromEntries(COUNTRIES.map(([, , , , share], at) => [at, share]));
/** A statement with a long prefix has room for a name after it. */
const LONG_STYLES = ["german", "dutch", "spanish", "italian", "french", "american"];

export type Household = ReturnType<typeof drawHousehold>;

/** Draws an account with its shops and its bank's statement style. */
export function drawHousehold(random: Random, number: number) {
  // Every country occurs; further accounts are in the most common ones.
  const at = number < COUNTRIES.length ? number : Number(random.weighted(COUNTRY_SHARES));
  const [country, currency, rate, tips, , styles, cityNames] = COUNTRIES[at] as Country;
  const cities = cityNames.split(" ");
  const home = random.pick(cities);
  const draw = (trade: string, city = home) => drawShop(random, trade, { city, country, rate });
  // Most purchases are at home, a tenth elsewhere.
  const shops = Array.from({ length: 60 }, () => {
    return draw(random.weighted(TRADE_SHARES), random.chance(0.9) ? home : random.pick(cities));
  });
  // Regular purchases at the same price. `twice` on one day: the way there and back.
  const commute = number % 5 === 2 ? [{ shop: draw("transit"), chance: 0.6, twice: 0.4 }] : [];
  const coffee = number % 7 === 4 ? [{ shop: draw("cafe"), chance: 0.45, twice: 0.03 }] : [];
  // One bank in twenty never names the merchant.
  const isMute = number % 20 === 13;
  const style = isMute ? "mute" : random.pick(styles.split(" "));
  return {
    currency,
    rate,
    tips,
    shops,
    favourites: shops.slice(0, random.int(10, 20)),
    habits: [...commute, ...coffee].map((habit) => ({ ...habit, cents: habit.shop.price() })),
    plans: Array.from({ length: random.int(2, 6) }, () => draw("plan")),
    purchasesADay: 0.7 + random.unit() * 1.1,
    /** Last digits of the enrolled cards, and of another one. */
    cards: Array.from({ length: random.pick([1, 1, 2, 2, 3]) }, () => random.code(4)),
    otherCard: random.chance(0.25) ? random.code(4) : null,
    style,
    maxLength: random.pick(LONG_STYLES.includes(style) ? [48, 64, 140] : [24, 32, 40, 140]),
    /** How often the provider names the merchant. */
    names: isMute ? 0 : random.pick([0, 0.3, 0.7, 0.9]),
    showsPurchaseDay: random.chance(0.3),
    booksOnWeekends: random.chance(0.25),
  };
}

/** Draws a shop in a country with another currency. */
export function drawForeignShop(random: Random, { currency, rate }: Household): Shop {
  const [country, , , , , , cities] = random.pick(COUNTRIES.filter((row) => row[1] !== currency));
  const city = random.pick(cities.split(" "));
  return drawShop(random, random.weighted(TRADE_SHARES), { city, country, rate });
}
