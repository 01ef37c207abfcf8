import { drawWait } from "./calendar.ts";
import type { Merchant } from "./merchants.ts";
import type { Random } from "./random.ts";

/** A merchant's terminal configuration, which all of its descriptors share. */
export interface Sign {
  readonly merchant: Merchant;
  readonly text: string;
  readonly hasCode: boolean;
  readonly maxLength: number;
  /** The usual delay of its debits, in working days. */
  readonly wait: number;
}

/** A bank's statement style for an account. */
export interface Bank {
  readonly style: keyof typeof DECORATIONS;
  readonly maxLength: number;
  /** How often the provider names the merchant. */
  readonly names: number;
  /** Whether the date is the purchase's, not the booking's. */
  readonly tellsPurchaseDay: boolean;
  readonly booksOnWeekends: boolean;
}

const SHORT: Readonly<Record<string, string>> = {
  RESTAURANT: "REST",
  SUPERMARKET: "SUPERMKT",
  MARKETPLACE: "MKTPLC",
  ELECTRONICS: "ELEC",
  BROTHERS: "BROS",
  VERKEHRSBETRIEBE: "VERKEHRSBETR",
  PHARMACY: "PHARM",
  HOTEL: "HTL",
};

/** Upper case, as printed by terminals. Some drop umlauts, some spell them out, some keep them. */
function printed(random: Random, text: string): string {
  const way = random.weighted([
    [4, "spelt"],
    [4, "dropped"],
    [2, "kept"],
  ] as const);
  if (way === "kept") return text.toUpperCase();
  const spelt = way === "spelt" ? text.replace(/[äöü]/g, (vowel) => UMLAUTS[vowel] ?? "") : text;
  return spelt
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toUpperCase();
}

const UMLAUTS: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue" };

export function drawSign(random: Random, merchant: Merchant): Sign {
  let text = printed(random, merchant.name);
  if (random.chance(0.08)) {
    text = text.replace(/[A-Z]+/g, (word) => SHORT[word] ?? word);
  }
  if (random.chance(0.05)) text = text.replaceAll(" ", "");
  if (random.chance(0.03)) text = text.replace(/(?<=[A-Z]{2})[AEIOU](?=[A-Z])/g, "");
  if (merchant.storeNumber && random.chance(0.6)) {
    text += random.pick([" #", " ", " NR ", "-", " STORE "]) + merchant.storeNumber;
  }
  if (random.chance(0.1)) text += ` ${merchant.companyForm.toUpperCase()}`.trimEnd();
  if (random.chance(0.35)) text += ` ${printed(random, merchant.city)}`;
  const hasCode = merchant.trade === "marketplace" && random.chance(0.6);
  const maxLength = random.pick([22, 22, 22, 25, 40]);
  return { merchant, text, hasCode, maxLength, wait: drawWait(random) };
}

/** The network's descriptor of a purchase. */
export function descriptorOf(random: Random, sign: Sign): string {
  const code = sign.hasCode ? `*${random.code(random.int(7, 9))}` : "";
  return `${sign.merchant.processor}${sign.text}${code}`.slice(0, sign.maxLength).trimEnd();
}

interface Movement {
  readonly day: string;
  readonly last4: string;
  readonly country: string;
  readonly city: string;
}

const DECORATIONS = {
  plain: (_random: Random, core: string) => core,
  withPlace: (random: Random, core: string, { city, country }: Movement) =>
    `${core}${random.pick([" ", ", ", "   "])}${city.toUpperCase()} ${country}`,
  german: (random: Random, core: string, { city, country, day }: Movement) =>
    `${core}//${city.toUpperCase()}/${country} ${day}T${time(random)} ` +
    `Debitk.${random.int(0, 3)} 2027-12`,
  germanShort: (_random: Random, core: string) => `KARTENZAHLUNG ${core}`,
  french: (random: Random, core: string, { day, city }: Movement) =>
    random.chance(0.5)
      ? `CB ${core} FACT ${dayText(day, "")}`
      : `PAIEMENT CB ${dayText(day, "").slice(0, 4)} ${city.toUpperCase()} ${core}`,
  american: (random: Random, core: string, { last4, day, city }: Movement) =>
    random.pick([
      `POS DEBIT ${last4} ${core} ${city.toUpperCase()}`,
      `DEBIT CARD PURCHASE - ${core} ${monthFirst(day)}`,
      `CHECKCARD ${monthFirst(day).replace("/", "")} ${core} ${random.digits(23)}`,
      `${core} ${monthFirst(day)} PURCHASE ${city.toUpperCase()}`,
    ]),
  dutch: (random: Random, core: string, { day, city }: Movement) =>
    `BEA NR:${random.code(6)} ${dayText(day, ".")}/${time(random).replace(":", ".")} ${core} ` +
    `${city.toUpperCase()},PAS${random.digits(3)}`,
  spanish: (random: Random, core: string, { city, last4 }: Movement) =>
    random.chance(0.6)
      ? `COMPRA TARJ. 4321XXXXXXXX${last4} ${core}-${city.toUpperCase()}`
      : `PAGO EN ${core}`,
  italian: (_random: Random, core: string, { day, city }: Movement) =>
    `PAGAMENTO POS ${dayText(day, "/").slice(0, 5)} ${core} ${city.toUpperCase()}`,
  british: (random: Random, core: string, { last4, day }: Movement) =>
    random.pick([
      `${core} ON ${day.slice(8)} ${MONTHS[Number(day.slice(5, 7)) - 1]} CLP`,
      `CARD PAYMENT TO ${core}`,
      `${last4} ${day.slice(8)}${MONTHS[Number(day.slice(5, 7)) - 1]}25 ${core} GB`,
    ]),
  mute: (random: Random, _core: string, { last4, day }: Movement) =>
    random.weighted([
      [5, `CARD PAYMENT ${last4}`],
      [2, "POS PURCHASE"],
      [2, `KARTENUMSATZ ${dayText(day, ".")}`],
      [1, random.digits(12)],
      [1, ""],
    ] as const),
};

const MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");

function time(random: Random): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(random.int(7, 22))}:${two(random.int(0, 59))}`;
}

function dayText(day: string, separator: string): string {
  const [year = "", month, date] = day.split("-");
  return [date, month, year.slice(2)].join(separator);
}

function monthFirst(day: string): string {
  return `${day.slice(5, 7)}/${day.slice(8)}`;
}

/** The statement text of a purchase with the network's `descriptor`. */
export function statementText(
  random: Random,
  bank: Bank,
  { merchant }: Sign,
  descriptor: string,
  { day, last4 }: { day: string; last4: string },
): string {
  const movement = { day, last4, city: merchant.city, country: merchant.country };
  const style = random.chance(0.012) ? "mute" : bank.style;
  return DECORATIONS[style](random, coreText(random, merchant, descriptor), movement)
    .slice(0, bank.maxLength)
    .trimEnd();
}

function coreText(random: Random, merchant: Merchant, descriptor: string): string {
  const { name, operator, companyForm, processor } = merchant;
  if (operator !== null && random.chance(0.8)) return `${operator} ${companyForm}`.toUpperCase();
  const way = random.weighted([
    [70, "asSent"],
    [13, "name"],
    [7, "company"],
    [4, "turned"],
    [3, "cut"],
    [processor === "PAYPAL *" ? 25 : 0, "processor"],
  ] as const);
  if (way === "asSent") return descriptor;
  if (way === "processor") return random.pick(["PAYPAL EUROPE S.A.R.L. ET CIE", "PayPal Payment"]);
  const text = printed(random, name);
  if (way === "company") return `${text} ${companyForm.toUpperCase()}`;
  if (way === "turned") return text.split(" ").reverse().join(" ");
  return way === "cut" ? text.slice(0, Math.max(5, text.length - random.int(2, 6))) : text;
}

/** The provider's merchant name, or null. */
export function providerName(
  random: Random,
  bank: Bank,
  { merchant }: Sign,
  others: readonly Sign[],
): string | null {
  if (!random.chance(bank.names)) return null;
  const { name, operator, processor, city } = merchant;
  if (operator !== null && random.chance(0.5)) return operator;
  if (processor === "PAYPAL *" && random.chance(0.2)) return "PayPal";
  return random.weighted([
    [93, name],
    [4, `${name} ${city}`],
    [2, name.split(" ")[0] ?? name],
    [1, random.pick(others).merchant.name],
  ]);
}
