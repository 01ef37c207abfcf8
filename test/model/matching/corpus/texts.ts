import type { Random } from "../../../support/random.ts";
import type { Household } from "./households.ts";
import { inCapitals, type Shop } from "./merchants.ts";

/** The network's descriptor of a purchase. */
export function descriptorOf(random: Random, shop: Shop): string {
  const code = shop.hasCode ? `*${random.code(random.int(7, 9), "0123456789ABCDEFGHKMNP")}` : "";
  return `${shop.processor}${shop.printed}${code}`.slice(0, shop.maxLength).trimEnd();
}

/** The formats of each style, one of which is drawn for a text. `{9}` is a number of 9 digits. */
const STYLES: Readonly<Record<string, readonly string[]>> = {
  plain: ["{core}"],
  withPlace: ["{core} {city} {country}", "{core}, {city} {country}", "{core}   {city} {country}"],
  german: ["{core}//{city}/{country} 20{yy}-{mm}-{dd}T1{1}:2{1} Debitk.{1} 2027-12"],
  germanShort: ["KARTENZAHLUNG {core}"],
  french: ["CB {core} FACT {dd}{mm}{yy}", "PAIEMENT CB {dd}{mm} {city} {core}"],
  american: [
    "POS DEBIT {last4} {core} {city}",
    "DEBIT CARD PURCHASE - {core} {mm}/{dd}",
    "CHECKCARD {mm}{dd} {core} {23}",
    "{core} {mm}/{dd} PURCHASE {city}",
  ],
  dutch: ["BEA NR:{2}X{3} {dd}.{mm}.{yy}/1{1}.2{1} {core} {city},PAS{3}"],
  spanish: ["COMPRA TARJ. 4321XXXXXXXX{last4} {core}-{city}", "PAGO EN {core}"],
  italian: ["PAGAMENTO POS {dd}/{mm} {core} {city}"],
  british: [
    "{core} ON {dd} {MMM} CLP",
    "CARD PAYMENT TO {core}",
    "{last4} {dd}{MMM}{yy} {core} GB",
  ],
  mute: ["CARD PAYMENT {last4}", "POS PURCHASE", "KARTENUMSATZ {dd}.{mm}.{yy}", "{12}", ""],
};

const MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");

/** What a statement may have of a purchase. */
export interface PurchaseText {
  readonly descriptor: string;
  readonly day: string;
  /** The card's last digits. */
  readonly last4: string;
}

/** The statement's text of a purchase. */
export function statementText(
  random: Random,
  { style, maxLength }: Household,
  shop: Shop,
  { descriptor, day, last4 }: PurchaseText,
): string {
  const [yy, mm, dd] = day.slice(2).split("-");
  const [core, city] = [coreText(random, shop, descriptor), shop.city.toUpperCase()];
  const { country } = shop;
  const parts = { core, city, country, last4, yy, mm, dd, MMM: MONTHS[Number(mm) - 1] };
  const formats = STYLES[random.chance(0.012) ? "mute" : style] ?? [];
  return random
    .pick(formats)
    .replace(/\{(\d+)\}/g, (_all, length) => random.code(Number(length)))
    .replace(/\{(\w+)\}/g, (_all, part) => parts[part as keyof typeof parts] ?? "")
    .slice(0, maxLength)
    .trimEnd();
}

function coreText(random: Random, shop: Shop, descriptor: string): string {
  const { name, operator, companyForm, processor } = shop;
  if (operator !== null && random.chance(0.8)) return `${operator} ${companyForm}`.toUpperCase();
  const printed = inCapitals(random, name);
  const texts = {
    descriptor,
    name: printed,
    company: `${printed} ${companyForm.toUpperCase()}`,
    turned: printed.split(" ").reverse().join(" "),
    cut: printed.slice(0, Math.max(5, name.length - random.int(2, 6))),
    firm: random.pick(["PAYPAL EUROPE S.A.R.L. ET CIE", "PayPal Payment"]),
  };
  const firm = processor === "PAYPAL *" ? 25 : 0;
  return texts[random.weighted({ descriptor: 70, name: 13, company: 7, turned: 4, cut: 3, firm })];
}

/** The provider's merchant name, or null. */
export function providerName(
  random: Random,
  { names, shops }: Household,
  { name, operator, processor, city }: Shop,
): string | null {
  if (!random.chance(names)) return null;
  if (operator !== null && random.chance(0.5)) return operator;
  if (processor === "PAYPAL *" && random.chance(0.2)) return "PayPal";
  const [first = name] = name.split(" ");
  const texts = { name, first, withCity: `${name} ${city}`, other: random.pick(shops).name };
  return texts[random.weighted({ name: 93, withCity: 4, first: 2, other: 1 })];
}
