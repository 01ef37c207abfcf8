/** How long a text is that a regular expression has to read in time. */
export const LONGEST = 1_000_000;

/**
 * The length at which all hostile texts are tried, and the part of the limit that one may take: ten
 * times what a linear pattern takes that keeps the limit at full length. A quadratic one never gets
 * there.
 */
const SHORT = 10_000;
const SHARE = 0.1;
/** How many of them, the slowest, are tried at full length. */
const MOST_AT_LENGTH = 3;
const ATTEMPTS = 5;

/** Characters that stand for the classes of most regular expressions. */
const USUAL = [...'aA0 _-/.:"\\%+&*=\n\t', "é", "😀"];

/** What ends a text, so that what was read of it does not match. */
const ENDS = ["!", "a"];

/** Short texts that hostile texts repeat: characters, pairs of the pattern's own, and its words. */
function pumpsOf({ source }: RegExp): string[] {
  const words = (source.match(/[A-Za-z_]{2,}/g) ?? []).slice(0, 4);
  const plain = source.replace(/\\[a-zA-Z]/g, "");
  const own = [...new Set(plain)].filter((char) => !"()[]{}|^$?".includes(char)).slice(0, 8);
  const pairs = own.flatMap((one, at) => own.slice(at + 1).map((other) => one + other));
  return [...new Set([...USUAL, ...own, ...pairs, ...words, ...words.map((word) => `"${word}"`)])];
}

/** The beginnings after which a pattern may read on: its literal beginning, and none. */
function beginsOf({ source }: RegExp): string[] {
  const [literal = ""] = /^\^?((?:[\w"/: -]|\\[/.])+)/.exec(source)?.slice(1) ?? [];
  return [...new Set(["", literal.replace(/\\/g, "")])];
}

/** A hostile text: what it repeats after which beginning, and how long reading it took. */
export interface Attack {
  readonly begin: string;
  readonly pump: string;
  readonly end: string;
  readonly length: number;
  readonly ms: number;
}

/**
 * Has a pattern read hostile texts: all at a moderate length, the slowest of them at a million
 * characters.
 *
 * @returns the slowest, or the first that takes longer than it may.
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
  const slowest = short.sort((one, other) => other.ms - one.ms).slice(0, MOST_AT_LENGTH);
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
 * The shortest processor time of some attempts, which another load of the machine does not change.
 * Another attempt is made only where one took too long.
 */
function bestOf(pattern: RegExp, text: string, limitMs: number): number {
  // A first search makes one string of its parts, and compiles the pattern.
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
