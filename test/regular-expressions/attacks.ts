/** The length of text that a regular expression must match in time. */
export const LONGEST = 1_000_000;

/**
 * The length of the first match of every hostile text, and its share of the time limit: ten times
 * the time of a linear pattern that meets the limit at full length. Quadratic patterns exceed it.
 */
const SHORT = 10_000;
const SHARE = 0.1;
/** The number of texts, the slowest, to match at full length. */
const MAX_FULL_LENGTH = 3;
const ATTEMPTS = 5;

/** Characters of most character classes. */
const USUAL = [...'aA0 _-/.:"\\%+&*=\n\t', "é", "😀"];

/** Final characters that prevent a match. */
const ENDS = ["!", "a"];

/** Texts to repeat: common characters, and characters, pairs and words of the pattern. */
function pumpsOf({ source }: RegExp): string[] {
  const words = (source.match(/[A-Za-z_]{2,}/g) ?? []).slice(0, 4);
  const plain = source.replace(/\\[a-zA-Z]/g, "");
  const own = [...new Set(plain)].filter((char) => !"()[]{}|^$?".includes(char)).slice(0, 8);
  const pairs = own.flatMap((one, at) => own.slice(at + 1).map((other) => one + other));
  return [...new Set([...USUAL, ...own, ...pairs, ...words, ...words.map((word) => `"${word}"`)])];
}

/** Prefixes of hostile texts: none, and the pattern's literal prefix. */
function beginsOf({ source }: RegExp): string[] {
  const [literal = ""] = /^\^?((?:[\w"/: -]|\\[/.])+)/.exec(source)?.slice(1) ?? [];
  return [...new Set(["", literal.replace(/\\/g, "")])];
}

/** A hostile text, and the time to match it. */
export interface Attack {
  readonly begin: string;
  readonly pump: string;
  readonly end: string;
  readonly length: number;
  readonly ms: number;
}

/**
 * Matches a pattern with hostile texts: all at a moderate length, then the slowest at full length.
 *
 * @returns The slowest text, or the first that exceeds its limit.
 */
export function attack(pattern: RegExp, limitMs: number): Attack {
  const short: Attack[] = [];
  for (const begin of beginsOf(pattern)) {
    for (const pump of pumpsOf(pattern)) {
      const body = repeat(pump, SHORT);
      for (const end of ENDS) {
        const ms = bestOf(pattern, begin + body + end, limitMs * SHARE);
        const tried = { begin, pump, end, length: SHORT, ms };
        if (ms > limitMs * SHARE) return tried;
        short.push(tried);
      }
    }
  }
  const slowest = short.sort((one, other) => other.ms - one.ms).slice(0, MAX_FULL_LENGTH);
  const long = slowest.map(({ begin, pump, end }): Attack => {
    const ms = bestOf(pattern, begin + repeat(pump, LONGEST) + end, limitMs);
    return { begin, pump, end, length: LONGEST, ms };
  });
  return long.sort((one, other) => other.ms - one.ms)[0] as Attack;
}

/** Repeats a text to a length. */
function repeat(pump: string, length: number): string {
  return pump.repeat(Math.ceil(length / pump.length));
}

/**
 * Returns the shortest CPU time of several attempts, which does not depend on other load.
 * It repeats an attempt only if it exceeds the limit.
 */
function bestOf(pattern: RegExp, text: string, limitMs: number): number {
  // Flattens the string, which the engine stores in parts.
  text.indexOf("\uffff");
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && best > limitMs; attempt += 1) {
    const start = process.threadCpuUsage();
    if (pattern.global) text.replace(pattern, "");
    else pattern.test(text);
    const { user, system } = process.threadCpuUsage(start);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
