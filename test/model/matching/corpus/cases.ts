import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { BankCandidate, CardCandidate } from "../../../../src/model/matching/candidates.ts";

/** A purchase's outcome, or the reason that a debit has no purchase; see the README. */
export type Kind =
  | ("plain" | "habit" | "plan" | "tip" | "fuel" | "lodging" | "foreign" | "adjusted" | "split")
  | ("retried" | "never" | "otherCard" | "bankOnly");

/** A purchase and its debits, or a debit without a purchase. */
export interface Case {
  readonly kind: Kind;
  readonly purchase: Omit<CardCandidate, "id" | "transactionId" | "currency"> | null;
  readonly debits: readonly Omit<BankCandidate, "id" | "currency">[];
}

export interface Account {
  readonly currency: string;
  readonly cases: Case[];
}

/** An account as the matcher's input, and the purchase of each debit that has one. */
export interface Feed {
  readonly purchases: readonly CardCandidate[];
  readonly postings: readonly BankCandidate[];
  readonly labels: ReadonlyMap<BankCandidate, CardCandidate>;
}

export const FROZEN_FILE = new URL("frozen.ndjson", import.meta.url);

/** The frozen corpus, from which all quoted figures come. */
export function readFrozen(): Account[] {
  const accounts: Account[] = [];
  for (const line of readFileSync(FROZEN_FILE, "utf8").trimEnd().split("\n")) {
    const [kind, first, ...debits] = JSON.parse(line);
    if (kind === "account") accounts.push({ currency: first, cases: [] });
    else
      accounts.at(-1)?.cases.push({ kind, purchase: purchaseOf(first), debits: debitsOf(debits) });
  }
  return accounts;
}

type PurchaseFields = [string, number, string, string, string, boolean];
type DebitFields = [string, number, string, string | null];

function purchaseOf(fields: PurchaseFields | null): Case["purchase"] {
  if (fields === null) return null;
  const [day, cents, descriptor, mcc, city, canSplit] = fields;
  return { day, cents, descriptor, mcc, city, canSplit };
}

function debitsOf(debits: readonly DebitFields[]): Case["debits"] {
  return debits.map(([day, cents, description, merchantName]) => {
    return { day, cents, description, merchantName };
  });
}

/** Gives ids to the purchases and debits of an account. */
export function feedOf({ currency, cases }: Account): Feed {
  const purchases: CardCandidate[] = [];
  const postings: BankCandidate[] = [];
  const labels = new Map<BankCandidate, CardCandidate>();
  for (const [at, { purchase, debits }] of cases.entries()) {
    // The order of ids decides between equal candidates, so that it must carry no information.
    const idOf = (side: string) => hash("sha1", `${at} ${side}`).slice(0, 12);
    const id = idOf("purchase");
    const card = purchase && { id, transactionId: id, currency, ...purchase };
    if (card) purchases.push(card);
    for (const [part, debit] of debits.entries()) {
      const posting = { id: idOf(`debit ${part}`), currency, ...debit };
      postings.push(posting);
      if (card) labels.set(posting, card);
    }
  }
  return { purchases, postings, labels };
}
