/** What texts take up: in evidence, and in memory once they are parsed. */
interface TextLimits {
  /** Characters, as JSON writes them. */
  readonly chars: number;
  /** Values of JSON. */
  readonly values: number;
}

/** Bounds how much text is kept. */
export class TextBudget {
  readonly #limits: TextLimits;
  #chars = 0;
  #values = 0;

  constructor(limits: TextLimits) {
    this.#limits = limits;
  }

  /** Takes up room for so many characters; false, and nothing is taken up, if there is none. */
  take(chars: number, values = 0): boolean {
    const { chars: mostChars, values: mostValues } = this.#limits;
    if (this.#chars + chars > mostChars || this.#values + values > mostValues) return false;
    this.#chars += chars;
    this.#values += values;
    return true;
  }

  giveBack(chars: number): void {
    this.#chars -= chars;
  }
}

/** How long a text is in JSON: a control character takes six characters. */
export function lengthInJson(text: string): number {
  return JSON.stringify(text).length;
}

/** At most how many values a text of JSON has. */
export function valuesIn(text: string): number {
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "," || char === "[" || char === "{") values += 1;
  }
  return values;
}
