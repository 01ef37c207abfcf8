/** Limits for kept texts, in evidence and parsed in memory. */
interface TextLimits {
  /** Characters, as encoded in JSON. */
  readonly chars: number;
  /** JSON values. */
  readonly values: number;
}

/** Limits the amount of text that is kept. */
export class TextBudget {
  readonly #limits: TextLimits;
  #chars = 0;
  #values = 0;

  constructor(limits: TextLimits) {
    this.#limits = limits;
  }

  /** Reserves characters and values. Returns false, and reserves nothing, beyond the limits. */
  take(chars: number, values = 0): boolean {
    const { chars: mostChars, values: mostValues } = this.#limits;
    if (this.#chars + chars > mostChars || this.#values + values > mostValues) return false;
    this.#chars += chars;
    this.#values += values;
    return true;
  }

  release(chars: number): void {
    this.#chars -= chars;
  }
}

/** The length of a text encoded in JSON, in which a control character takes six characters. */
export function lengthInJson(text: string): number {
  return JSON.stringify(text).length;
}

/** An upper bound of the number of values in a JSON text. */
export function valuesIn(text: string): number {
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "," || char === "[" || char === "{") values += 1;
  }
  return values;
}
