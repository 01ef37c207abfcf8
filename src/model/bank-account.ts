import type { EventPayloads } from "../../generated/events.ts";
import type { Transition } from "./state-machine.ts";

type StateEvent = EventPayloads["bankaccount.state_changed"];

export type AccountState = StateEvent["state"];
export type AccountTrigger = "connect" | "consent-expire" | "disconnect" | "recover";

const CHANGED = ["bankaccount.state_changed"] as const;

/** The states of a bank account's connection. Each event announces a change of state (BAC-01). */
export const BANK_ACCOUNT_TRANSITIONS = [
  { trigger: "connect", from: ["new"], to: "active", sends: [], requirement: "BLK-01" },
  {
    trigger: "consent-expire",
    from: ["active"],
    to: "auth_required",
    sends: CHANGED,
    requirement: "BAC-04",
  },
  {
    trigger: "disconnect",
    from: ["active", "auth_required"],
    to: "disconnected",
    sends: CHANGED,
    requirement: "BAC-04",
  },
  {
    trigger: "recover",
    from: ["auth_required", "disconnected"],
    to: "active",
    sends: CHANGED,
    requirement: "BAC-04",
  },
] as const satisfies readonly Transition<AccountState, AccountTrigger>[];

/** BAC-02: why a connection changed, and until when it lasts; null if that does not apply. */
export type StateChangeCause = Pick<StateEvent, "reason" | "expiresAt">;

/** Builds the event of a bank account's new state. */
export function accountStateEvent(
  bankAccountId: string,
  { state, previousState }: Pick<StateEvent, "state" | "previousState">,
  { reason = null, expiresAt = null }: Partial<StateChangeCause> = {},
): StateEvent {
  return { bankAccountId, state, previousState, reason, expiresAt };
}
