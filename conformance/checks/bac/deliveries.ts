import { inDeliveries } from "../../body-checks.ts";
import type { Check } from "../../check.ts";
import { allNamed } from "../../deliveries/typed-delivery.ts";
import { countEvents } from "../shared/delivery-cases.ts";
import { withEvent } from "../shared/events.ts";
import { inHistory } from "../shared/in-history.ts";

const EVENT = ["bankaccount.state_changed"] as const;
const NONE = "no bankaccount.state_changed was delivered";

export const bankAccounts: readonly Check[] = [
  inDeliveries("BAC-01", "bankaccount.state_changed carries a change from one state to another"),
  inDeliveries(
    "BAC-02",
    "reason and expiresAt are null or have their type",
    withEvent(EVENT),
    NONE,
  ),
  inHistory("BAC-03", "previousState is the state of the account's event before", {
    cases: ({ reading }) => {
      const turns = allNamed(reading.typed, ...EVENT);
      return turns.length - new Set(turns.map(({ body }) => body.bankAccountId)).size;
    },
    unseen: "no bank account changed its state twice",
  }),
  inHistory("BAC-05", "auth_required is entered only from active", {
    cases: ({ reading }) => countEvents(reading.typed, ...EVENT),
    unseen: NONE,
  }),
];
