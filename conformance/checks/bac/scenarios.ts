import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, breachAt, differences } from "../../assert.ts";
import type { Check } from "../../check.ts";
import { type ConnectionChange, connectionChanges } from "../../scenarios/connections.ts";
import { findEvents } from "../../scenarios/find-deliveries.ts";
import { CONNECTED } from "../shared/scenario-capabilities.ts";

const CHANGED = [
  ...CONNECTED,
  ...(["verb:expireConsent", "verb:disconnect", "verb:recover"] as const),
];
const NOTHING = "no change of a connection was announced: see BAC-04";

/** Checks of bank accounts whose connection expires, is lost or recovers. */
export const connectionChecks: readonly Check[] = [
  // BAC-01: bankaccount.state_changed has bankAccountId, state, previousState (active,
  // auth_required, disconnected), reason, expiresAt; it is sent only when the state changed, so
  // state differs from previousState.
  ofChanges(
    {
      requirement: "BAC-01",
      title: "each change of a connection is announced once, with both states",
      alternative: true,
    },
    (assertions, changes) => {
      for (const change of changes) {
        const { verb, state, previousState } = change;
        const contents = new Map(eventsOf(change).map((one) => [one.request.body, one]));
        const what = `one bankaccount.state_changed of ${verb}`;
        assertions.atMost(1, [...contents.values()], what);
        for (const event of contents.values()) {
          const isMove = memberOf(event.json, "state") !== memberOf(event.json, "previousState");
          const expected = `${state}, other than ${previousState}`;
          assertions.check(isMove, breachAt(event, "/state", expected));
        }
      }
    },
  ),
  // BAC-03: previousState of an event equals the state of the account's event before it.
  ofChanges(
    {
      requirement: "BAC-03",
      title: "previousState is the state after the previous change",
      alternative: true,
    },
    (assertions, changes) => {
      changes.slice(1).forEach((change, at) => {
        const before = eventsOf(changes[at] as ConnectionChange).slice(0, 1);
        for (const event of before.length > 0 ? eventsOf(change) : []) {
          assertions.hasValues(event, { "/previousState": change.previousState }, ...before);
        }
      });
    },
  ),
  // BAC-04: Consent expiring moves active to auth_required (with reason and, when known,
  // expiresAt); a lost connection moves any state to disconnected; recovery moves a non-active
  // state to active.
  ofChanges(
    {
      requirement: "BAC-04",
      title: "an expired consent is announced as auth_required, with a reason",
    },
    (assertions, changes) => {
      for (const change of changes.filter(({ verb }) => verb === "expireConsent")) {
        announced(assertions, change);
        for (const event of eventsOf(change)) {
          const reason = memberOf(event.json, "reason");
          const expected = "a reason, such as consent_expiring";
          assertions.check(typeof reason === "string", breachAt(event, "/reason", expected));
        }
      }
    },
  ),
  ofChanges(
    {
      requirement: "BAC-04",
      title: "a lost connection and its recovery are announced from any state",
    },
    (assertions, changes) => {
      for (const change of changes.filter(({ verb }) => verb !== "expireConsent"))
        announced(assertions, change);
    },
  ),
  // BAC-05: auth_required is entered only from active, active only from a non-active state.
  ofChanges(
    {
      requirement: "BAC-05",
      title: "auth_required is entered only from active, active from another state",
      alternative: true,
    },
    (assertions, changes) => {
      for (const change of changes) {
        for (const event of eventsOf(change)) {
          const state = memberOf(event.json, "state");
          const from = memberOf(event.json, "previousState");
          if (state === "disconnected") continue;
          const isRight = state === "auth_required" ? from === "active" : from !== "active";
          const expected = state === "auth_required" ? "active" : "a state that is not active";
          assertions.check(isRight, breachAt(event, "/previousState", expected));
        }
      }
    },
  ),
];

/** Creates a check of the changes of a connection. */
function ofChanges(
  check: Pick<Check, "requirement" | "title" | "alternative">,
  inspect: (assertions: Assertions, changes: readonly ConnectionChange[]) => void,
): Check {
  return {
    ...check,
    requires: CHANGED,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed, missing } = await connectionChanges(session);
      inspect(assertions, completed);
      return assertions.result(NOTHING, missing);
    },
  };
}

function announced(assertions: Assertions, change: ConnectionChange): void {
  const { bankAccountId, state, previousState, resource } = change;
  const what = `bankaccount.state_changed of ${bankAccountId} to ${state}`;
  assertions.wasDelivered(eventsOf(change), what, resource, (event) =>
    differences(event, { "/state": state, "/previousState": previousState }),
  );
}

function eventsOf({ deliveries, bankAccountId }: ConnectionChange) {
  const values = { "/bankAccountId": bankAccountId };
  return findEvents(deliveries, "bankaccount.state_changed", values);
}
