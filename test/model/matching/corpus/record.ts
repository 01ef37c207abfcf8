/** A purchase's outcome, or the reason that a movement has none. */
export type Case =
  | "plain"
  | "habit"
  | "plan"
  | "tip"
  | "fuel"
  | "lodging"
  | "foreign"
  | "adjusted"
  | "split"
  | "returned"
  | "retried"
  | "never"
  | "otherCard"
  | "bankOnly";

/** A purchase in the card data. */
export interface PurchaseRecord {
  readonly account: number;
  readonly id: string;
  readonly day: string;
  /** In minor units of the currency. */
  readonly cents: number;
  readonly currency: string;
  readonly descriptor: string;
  readonly mcc: string;
  readonly city: string;
  /** Whether the network has cleared it: the amount is final. */
  readonly isCleared: boolean;
  readonly case: Case;
}

/** A movement of the account: a debit, or a credit with negative `cents`. */
export interface MovementRecord {
  readonly account: number;
  readonly id: string;
  readonly day: string;
  readonly cents: number;
  readonly currency: string;
  readonly description: string;
  readonly merchantName: string | null;
  /** Its purchase, or null. */
  readonly purchaseId: string | null;
  readonly case: Case;
}

export interface Corpus {
  readonly purchases: readonly PurchaseRecord[];
  readonly movements: readonly MovementRecord[];
}

const PURCHASE_FIELDS = [
  ...(["account", "id", "day", "cents", "currency", "descriptor", "mcc", "city"] as const),
  ...(["isCleared", "case"] as const),
];
const MOVEMENT_FIELDS = [
  ...(["account", "id", "day", "cents", "currency", "description", "merchantName"] as const),
  ...(["purchaseId", "case"] as const),
];

/** Writes a corpus, one record per line after the field names. */
export function writeCorpus({ purchases, movements }: Corpus): string {
  const lines: unknown[] = [["purchase", ...PURCHASE_FIELDS]];
  for (const record of purchases) lines.push(["p", ...PURCHASE_FIELDS.map((f) => record[f])]);
  lines.push(["movement", ...MOVEMENT_FIELDS]);
  for (const record of movements) lines.push(["m", ...MOVEMENT_FIELDS.map((f) => record[f])]);
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Reads what `writeCorpus` wrote. */
export function readCorpus(text: string): Corpus {
  const purchases: PurchaseRecord[] = [];
  const movements: MovementRecord[] = [];
  for (const line of text.trimEnd().split("\n")) {
    const [kind, ...values] = JSON.parse(line) as unknown[];
    const fields = kind === "p" ? PURCHASE_FIELDS : MOVEMENT_FIELDS;
    const record: unknown = Object.fromEntries(fields.map((field, at) => [field, values[at]]));
    if (kind === "p") purchases.push(record as PurchaseRecord);
    if (kind === "m") movements.push(record as MovementRecord);
  }
  return { purchases, movements };
}
