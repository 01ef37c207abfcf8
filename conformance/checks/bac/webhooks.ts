import type { Check } from "../../check.ts";
import { inDeliveries } from "../../observe/body-checks.ts";
import { allNamed } from "../../observe/deliveries/reading.ts";
import { countEvents, withEvent } from "../shared/delivery-cases.ts";
import { inHistory } from "../shared/factories.ts";

const EVENT = ["bankaccount.state_changed"] as const;
const NONE = "no bankaccount.state_changed was delivered";

export const bankAccounts: readonly Check[] = [
  // BAC-01: bankaccount.state_changed has bankAccountId, state, previousState (active,
  // auth_required, disconnected), reason, expiresAt; it is sent only when the state changed, so
  // state differs from previousState.
  inDeliveries(
    ["BAC-01.fields", "BAC-01.differ"],
    "bankaccount.state_changed has two different states",
  ),
  // BAC-02: reason and expiresAt are null unless applicable; the set of reasons is open
  // (consent_expiring is shown).
  inDeliveries(
    ["BAC-02.reason", "BAC-02.expires-at"],
    "reason and expiresAt are null or have their type",
    withEvent(EVENT),
    NONE,
  ),
  // BAC-03: previousState of an event equals the state of the account's event before it.
  inHistory(["BAC-03.chain"], "previousState is the state of the account's previous event", {
    cases: ({ reading }) => {
      const changes = allNamed(reading.typed, ...EVENT);
      return changes.length - new Set(changes.map(({ body }) => body.bankAccountId)).size;
    },
    skipReason: "no bank account changed its state twice",
  }),
  // BAC-05: auth_required is entered only from active, active only from a non-active state.
  inHistory(
    ["BAC-05.auth-required", "BAC-05.active"],
    "auth_required is entered only from active",
    {
      cases: ({ reading }) => countEvents(reading.typed, ...EVENT),
      skipReason: NONE,
    },
  ),
];
