import type { EventPayloads } from "../../generated/events.ts";
import { type Transition, transitions } from "./state-machine.ts";

type StateEvent = EventPayloads["bankaccount.state_changed"];

export type AccountState = StateEvent["state"];
export type AccountTrigger = "connect" | "consent-expire" | "disconnect" | "recover";

const CHANGED = ["bankaccount.state_changed"] as const;

/** The states of a bank account's connection. Each event announces a change of state (BAC-01). */
export const BANK_ACCOUNT_TRANSITIONS = transitions([
  ["connect", ["new"], "active", [], "BLK-01"],
  ["consent-expire", ["active"], "auth_required", CHANGED, "BAC-04"],
  ["disconnect", ["active", "auth_required"], "disconnected", CHANGED, "BAC-04"],
  ["recover", ["auth_required", "disconnected"], "active", CHANGED, "BAC-04"],
]) satisfies readonly Transition<AccountState, AccountTrigger>[];

export type LinkState = "started" | "finished" | "completed";
type LinkTrigger = "start" | "finish" | "complete";

/**
 * The states of a bank link. `finish`: the cardholder completes the hosted flow, but the
 * notification is lost. `complete` comes by PATCH, notification or polling; only the first has an
 * effect (BLK-02).
 */
export const BANK_LINK_TRANSITIONS = transitions([
  ["start", ["new"], "started", [], "BLK-02"],
  ["finish", ["started", "finished"], "finished", [], "BLK-02"],
  ["finish", ["completed"], "completed", [], "BLK-02"],
  ["complete", ["started", "finished"], "completed", ["banklink.completed"], "BLK-02"],
  ["complete", ["completed"], "completed", [], "BLK-02"],
]) satisfies readonly Transition<LinkState, LinkTrigger>[];

/** Providers' names for each normalized type, in lower case, with single spaces. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  credit: ["credit", "credit card", "creditcard", "card", "charge card", "line of credit"],
  depository: [
    ...["depository", "checking", "current", "current account", "giro", "cacc"],
    ...["savings", "savings account", "svgs", "cash management", "money market", "prepaid"],
  ],
  loan: ["loan", "mortgage", "student", "auto", "home equity"],
  investment: ["investment", "brokerage", "pension", "retirement"],
};

const NORMALIZED = new Map(
  Object.entries(NAMES).flatMap(([type, names]) => names.map((name) => [name, type] as const)),
);

/**
 * Normalizes a provider's type of account, such as `Credit Card`, `CREDIT` or
 * `depository/checking`. If the whole name is unknown, the first known part decides.
 *
 * @returns `credit`, the only type that the interface shows, or a type of the sandbox:
 * `depository`, `loan`, `investment`, or `other` for an unknown name
 */
export function normalizedType(type: string): string {
  const parts = [type, ...type.split(/[/|:.]/)];
  const names = parts.map((part) =>
    part
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, " ")
      .trim(),
  );
  const known = names.find((name) => NORMALIZED.has(name));
  return NORMALIZED.get(known ?? "") ?? "other";
}
