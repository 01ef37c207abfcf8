import { memberOf } from "../../../src/contract/pointer.ts";
import type { Check } from "../../check.ts";
import { Assertions, breachAt, differences } from "../../driven/assertions.ts";
import { type ConnectionChange, connectionChanges } from "../../driven/connections.ts";
import { findEvents } from "../../driven/find-deliveries.ts";
import { CONNECTED } from "../shared/scenario-capabilities.ts";

const ALL = [
  ...(["expireConsent", "disconnect", "recover"] as const),
  ...(["disconnect", "recover", "expireConsent", "recover"] as const),
];
const TURNED = [
  ...CONNECTED,
  ...(["verb:expireConsent", "verb:disconnect", "verb:recover"] as const),
];
const NOTHING = "no change of a connection was announced: see BAC-04";

/** Checks of bank accounts whose connection expires, is lost or recovers. */
export const connectionChecks: readonly Check[] = [
  // BAC-01: bankaccount.state_changed has bankAccountId, state, previousState (active,
  // auth_required, disconnected), reason, expiresAt; it is sent only when the state changed, so
  // state differs from previousState.
  {
    requirement: "BAC-01",
    title: "each change of a connection is announced once, with both states",
    requires: TURNED,
    alternative: true,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed: turns, missing } = await connectionChanges(session, ALL);
      for (const turn of turns) {
        const { verb, state, previousState } = turn;
        const contents = new Map(changesOf(turn).map((one) => [one.request.body, one]));
        const what = `one bankaccount.state_changed of ${verb}`;
        assertions.atMost(1, [...contents.values()], what);
        for (const change of contents.values()) {
          const isMove = memberOf(change.json, "state") !== memberOf(change.json, "previousState");
          const expected = `${state}, other than ${previousState}`;
          assertions.check(isMove, breachAt(change, "/state", expected));
        }
      }
      return assertions.result(NOTHING, missing);
    },
  },
  // BAC-03: previousState of an event equals the state of the account's event before it.
  {
    requirement: "BAC-03",
    title: "previousState is the state after the previous change",
    requires: TURNED,
    alternative: true,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed: turns, missing } = await connectionChanges(session, ALL);
      turns.slice(1).forEach((turn, at) => {
        const before = changesOf(turns[at] as ConnectionChange).slice(0, 1);
        for (const change of before.length > 0 ? changesOf(turn) : []) {
          assertions.hasValues(change, { "/previousState": turn.previousState }, ...before);
        }
      });
      return assertions.result(NOTHING, missing);
    },
  },
  // BAC-04: Consent expiring moves active to auth_required (with reason and, when known,
  // expiresAt); a lost connection moves any state to disconnected; recovery moves a non-active
  // state to active.
  {
    requirement: "BAC-04",
    title: "an expired consent is announced as auth_required, with a reason",
    requires: TURNED,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed: turns, missing } = await connectionChanges(session, ALL);
      for (const turn of turns.filter(isOf("expireConsent"))) {
        announced(assertions, turn);
        for (const change of changesOf(turn)) {
          const reason = memberOf(change.json, "reason");
          const expected = "a reason, such as consent_expiring";
          assertions.check(typeof reason === "string", breachAt(change, "/reason", expected));
        }
      }
      return assertions.result(NOTHING, missing);
    },
  },
  {
    requirement: "BAC-04",
    title: "a lost connection and its recovery are announced from any state",
    requires: TURNED,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed: turns, missing } = await connectionChanges(session, ALL);
      for (const turn of turns.filter((one) => !isOf("expireConsent")(one)))
        announced(assertions, turn);
      return assertions.result(NOTHING, missing);
    },
  },
  // BAC-05: auth_required is entered only from active, active only from a non-active state.
  {
    requirement: "BAC-05",
    title: "auth_required is entered only from active, active from another state",
    requires: TURNED,
    alternative: true,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed: turns, missing } = await connectionChanges(session, ALL);
      for (const turn of turns) {
        for (const change of changesOf(turn)) {
          const state = memberOf(change.json, "state");
          const from = memberOf(change.json, "previousState");
          if (state === "disconnected") continue;
          const isRight = state === "auth_required" ? from === "active" : from !== "active";
          const expected = state === "auth_required" ? "active" : "a state that is not active";
          assertions.check(isRight, breachAt(change, "/previousState", expected));
        }
      }
      return assertions.result(NOTHING, missing);
    },
  },
];

function announced(assertions: Assertions, turn: ConnectionChange): void {
  const { bankAccountId, state, previousState, resource } = turn;
  const what = `bankaccount.state_changed of ${bankAccountId} to ${state}`;
  assertions.wasDelivered(changesOf(turn), what, resource, (change) =>
    differences(change, { "/state": state, "/previousState": previousState }),
  );
}

function changesOf({ deliveries, bankAccountId }: ConnectionChange) {
  const values = { "/bankAccountId": bankAccountId };
  return findEvents(deliveries, "bankaccount.state_changed", values);
}

function isOf(verb: ConnectionChange["verb"]) {
  return (turn: ConnectionChange) => turn.verb === verb;
}
