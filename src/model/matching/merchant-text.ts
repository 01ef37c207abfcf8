import { BANK_WORDS, FORMS, PAYMENT_FIRMS, PROCESSORS, TRADE_WORDS } from "./noise-words.ts";
import { LONGEST_WORD, trigramsOf } from "./similarity.ts";

/** The merchant's name in a text, without the words around it. */
export interface MerchantText {
  readonly words: readonly string[];
  /** The weight of each word: its length, reduced for words that name a trade. */
  readonly weights: readonly number[];
  readonly totalWeight: number;
  /** The words without spaces, as descriptors often have them. */
  readonly joined: string;
  readonly trigrams: ReadonlySet<string>;
}

const MARKS = /[\u0300-\u036f]/g;
const LETTERS: Readonly<Record<string, string>> = {
  ß: "SS",
  Ø: "O",
  Æ: "A",
  Ł: "L",
  Œ: "O",
  Đ: "D",
};
const TRADE_SHARE = 0.35;
const SHORTEST_NAME = 3;

/** Upper case without diacritics and without E after A, O, U: MÜLLER, MUELLER and MULLER agree. */
function folded(text: string): string {
  return text
    .toUpperCase()
    .normalize("NFD")
    .replace(MARKS, "")
    .replace(/[ßØÆŁŒĐ]/g, (letter) => LETTERS[letter] ?? "")
    .replace(/([AOU])E/g, "$1");
}

const MONTHS = "JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC";
/** A month counts only beside a day, because MAR can be a name. */
const DATES = new RegExp(String.raw`\b[0-3]?\d[ -]?(?:${MONTHS})(?=\d|\b)`, "g");
/** Abbreviations such as S.A.R.L. are one word. */
const DOTTED = /\b(?:[A-Z]\.){2,}/g;

/** Removes a payment processor before a star, or a code after it. */
function withoutProcessor(text: string): string {
  return text.replace(
    /(?<![A-Z])([A-Z]{1,32})[._ ]*(?:(?:COM|NET)[_ ]*)?\*\s*(\S*)/g,
    (_all, name, next) => {
      if (PROCESSORS.has(name)) return ` ${next}`;
      return /\d/.test(next) ? `${name} ` : `${name} ${next}`;
    },
  );
}

/** Keeps O2 and FOX24CLOUD (without its number), removes 0412, 12MAR and XX1234. */
function withoutReference(word: string): string {
  const letters = word.replace(/\d+/g, "");
  const digits = word.length - letters.length;
  if (digits === 0 || (word.length <= 3 && letters !== "")) return word;
  return letters.length >= 4 && letters.length >= 2 * digits ? letters : "";
}

function isNoise(word: string): boolean {
  return word === "" || BANK_WORDS.has(word) || FORMS.has(word) || /^X+$/.test(word);
}

/** Statements are truncated too: PAYP may be all that is left of a payment processor. */
function isCutFirm(words: readonly string[]): boolean {
  const [only = "", ...rest] = words;
  if (rest.length > 0 || only.length < SHORTEST_NAME) return false;
  return [...PAYMENT_FIRMS].some((firm) => firm.startsWith(only));
}

/**
 * Extracts the merchant's name from a text of a network, a bank or a provider.
 *
 * @param city the acceptor's city; "" if unknown
 * @returns null if the text has no merchant name
 */
export function merchantTextOf(text: string, city: string): MerchantText | null {
  const all = wordsOf(withoutProcessor(folded(text).replace(DATES, " ")));
  const named = withoutPlace(
    all.map(withoutReference).filter((word) => !isNoise(word)),
    wordsOf(folded(city)),
  );
  const isFirm = named.some((word) => PAYMENT_FIRMS.has(word));
  const words = named.filter((word) => !PAYMENT_FIRMS.has(word));
  if (isFirm && words.every((word) => TRADE_WORDS.has(word))) return null;
  if (isCutFirm(words)) return null;
  const joined = words.join("");
  if (joined.length < SHORTEST_NAME) return null;
  const weights = words.map((word) => word.length * (TRADE_WORDS.has(word) ? TRADE_SHARE : 1));
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
  return { words, weights, totalWeight, joined, trigrams: trigramsOf(joined) };
}

function wordsOf(text: string): string[] {
  const words = text
    .replace(DOTTED, (letters) => letters.replaceAll(".", ""))
    .replace(/['’]/g, "")
    .split(/[^A-Z0-9]+/);
  return words.filter((word) => word.length > 1).map((word) => word.slice(0, LONGEST_WORD));
}

/** Removes the city after the name, and the two letters of a country or state. */
function withoutPlace(words: readonly string[], city: readonly string[]): string[] {
  const [first, ...rest] = words;
  if (first === undefined) return [];
  if (rest.length > 0 && rest.at(-1)?.length === 2) rest.pop();
  const kept = rest.filter((word) => !city.includes(word));
  // Descriptors are truncated to 22 letters, often within the city.
  const cut = kept.at(-1);
  if (cut !== undefined && city.some((word) => word.startsWith(cut))) kept.pop();
  return kept.length > 0 && city.includes(first) ? kept : [first, ...kept];
}

/** Whether a bank's text contains a day, in one of the formats that banks use. */
export function statesDay(text: string, day: string): boolean {
  const [year = "", month = "", date = ""] = day.split("-");
  const name = MONTHS.split("|")[Number(month) - 1] ?? "";
  const ways = [
    ...[day, `${date}.${month}`, `${date}/${month}`, `${month}/${date}`, `${date}-${month}`],
    ...[`${date}${month}`, `${month}${date}`, `${date}${name}`, `${date} ${name}`],
    ...[`${date}${month}${year.slice(2)}`, `${date}${name}${year.slice(2)}`],
  ];
  const upper = text.toUpperCase();
  return ways.some((way) => {
    const at = upper.indexOf(way);
    return at >= 0 && !/\d/.test(upper.charAt(at - 1) + upper.charAt(at + way.length));
  });
}
