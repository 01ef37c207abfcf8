import type { ClaimId, Situation } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, breachAt, differences } from "../../assert.ts";
import type { Check } from "../../check.ts";
import { allDeliveries, CONNECTED, LINKED } from "../../scenarios/act.ts";
import {
  type ConnectionChange,
  changesWithCards,
  connectionChanges,
  connectionRepetitions,
} from "../../scenarios/connections.ts";
import { findEvents, undueEvents } from "../../scenarios/find-deliveries.ts";
import { linked } from "../../scenarios/links.ts";
import type { Delivery } from "../../wire/exchange.ts";

const CHANGED = [
  ...CONNECTED,
  ...(["verb:expireConsent", "verb:disconnect", "verb:recover"] as const),
];
const NOTHING = "no change of a connection was announced: see BAC-04";
const EVENT = "bankaccount.state_changed" as const;
const ORDINALS: readonly Situation[] = ["first", "second", "third"];

/** The claim about each move. */
const MOVES: Readonly<Record<string, ClaimId>> = {
  "active auth_required": "BAC-04.expiring",
  "active disconnected": "BAC-04.lost-active",
  "auth_required disconnected": "BAC-04.lost-auth-required",
  "auth_required active": "BAC-04.recovered-auth-required",
  "disconnected active": "BAC-04.recovered-disconnected",
};

/** Checks of bank accounts whose connection expires, is lost or recovers. */
export const connectionChecks: readonly Check[] = [
  // BAC-01: bankaccount.state_changed has bankAccountId, state, previousState (active,
  // auth_required, disconnected), reason, expiresAt; it is sent only when the state changed, so
  // state differs from previousState.
  ofChanges(
    ["BAC-01.differ"],
    "each change of a connection is announced once, with both states",
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
  {
    claims: ["BAC-01.not-without-change"],
    title: "a repeated change of a connection is not announced",
    requires: CHANGED,
    run: async (session) => {
      const { completed, missing } = await connectionRepetitions(session);
      const all = await allDeliveries(session);
      const assertions = new Assertions();
      for (const { situation, bankAccountId, earlier, events, resource } of completed) {
        if (situation === "expire-disconnected") continue;
        const [event] = undueEvents(events, earlier, all);
        assertions.of("BAC-01.not-without-change", situation).check(event === undefined, {
          expected: `no bankaccount.state_changed of ${bankAccountId}: its state is the same`,
          actual: "one was delivered",
          evidence: [event ?? resource],
        });
      }
      return assertions.result("no verb was repeated", missing);
    },
  },
  // BAC-02: reason and expiresAt are null unless applicable; the set of reasons is open
  // (consent_expiring is shown).
  ofChanges(
    ["BAC-02.reason-expiring"],
    "an expired consent has a reason",
    (assertions, changes) => {
      for (const change of changes.filter(({ verb }) => verb === "expireConsent")) {
        for (const event of eventsOf(change)) {
          assertions.check(hasReason(event), breachAt(event, "/reason", REASON));
        }
      }
    },
  ),
  ofChanges(
    ["BAC-02.expires-at"],
    "a change after an expired consent does not repeat expiresAt",
    (assertions, changes) => {
      const expiries = new Map<unknown, Delivery>();
      for (const { verb, ...change } of changes) {
        for (const event of eventsOf(change)) {
          const expiresAt = memberOf(event.json, "expiresAt");
          if (verb === "expireConsent") {
            if (typeof expiresAt === "string") expiries.set(expiresAt, event);
            continue;
          }
          if (expiries.size === 0) continue;
          const earlier = expiries.get(expiresAt);
          const related = earlier ? [earlier] : [];
          const breach = breachAt(event, "/expiresAt", "null, or another time", ...related);
          const own = assertions.of(
            "BAC-02.expires-at",
            verb === "recover" ? "recovered" : "disconnected",
          );
          // The interface does not say when an expiry still applies.
          own.check(earlier === undefined, { ...breach, isWarning: true });
        }
      }
    },
  ),
  // BAC-03: previousState of an event equals the state of the account's event before it.
  ofChanges(
    ["BAC-03.chain", "BAC-03.first-active"],
    "previousState is the state after the previous change",
    (assertions, changes) => {
      changes.forEach((change, at) => {
        const [own] = eventsOf(change);
        if (at === 0 && own) {
          assertions.of("BAC-03.first-active").hasValues(own, { "/previousState": "active" });
        }
        const before = at === 0 ? [] : eventsOf(changes[at - 1] as ConnectionChange).slice(0, 1);
        for (const event of before.length > 0 ? eventsOf(change) : []) {
          const chain = assertions.of("BAC-03.chain", ...ORDINALS.slice(at - 1, at));
          chain.hasValues(event, { "/previousState": change.previousState }, ...before);
        }
      });
    },
  ),
  // BAC-04: Consent expiring moves active to auth_required (with reason and, when known,
  // expiresAt); a lost connection moves any state to disconnected; recovery moves a non-active
  // state to active.
  ofChanges(
    ["BAC-04.expiring"],
    "an expired consent is announced as auth_required",
    (assertions, changes) => {
      announced(assertions, changes, ({ verb }) => verb === "expireConsent");
    },
  ),
  ofChanges(
    [
      ...(["BAC-04.lost-active", "BAC-04.lost-auth-required"] as const),
      ...(["BAC-04.recovered-auth-required", "BAC-04.recovered-disconnected"] as const),
    ],
    "a lost connection and its recovery are announced from any state",
    (assertions, changes) => {
      announced(assertions, changes, ({ verb }) => verb !== "expireConsent");
    },
  ),
  {
    claims: [
      ...(["BAC-04.expiring", "BAC-04.lost-active"] as const),
      ...(["BAC-04.lost-auth-required", "BAC-04.recovered-disconnected"] as const),
    ],
    title: "changes of two accounts of one link are announced in turn",
    requires: CHANGED,
    run: async (session) => {
      const { completed, missing } = await changesWithCards(session);
      const assertions = new Assertions();
      announced(assertions, completed, () => true);
      return assertions.result(NOTHING, missing);
    },
  },
  {
    claims: ["BAC-04.only-that-account"],
    title: "a change of a connection leaves other links unchanged",
    requires: [...LINKED, ...CHANGED],
    run: async (session) => {
      const { creditId, unknownIds, plainId, resource } = await linked(session);
      const { completed, missing } = await connectionChanges(session);
      const all = await allDeliveries(session);
      const assertions = new Assertions();
      for (const id of completed.length > 0 ? [creditId, ...unknownIds, plainId] : []) {
        const [event] = findEvents(all, EVENT, { "/bankAccountId": id });
        assertions.check(event === undefined, {
          expected: `no bankaccount.state_changed of ${id}, which is of another link`,
          actual: "one was delivered",
          evidence: [event ?? resource],
        });
      }
      return assertions.result(NOTHING, missing);
    },
  },
  // BAC-05: auth_required is entered only from active, active only from a non-active state.
  ofChanges(
    ["BAC-05.auth-required", "BAC-05.active"],
    "auth_required is entered only from active, active from another state",
    (assertions, changes) => {
      for (const change of changes) {
        for (const event of eventsOf(change)) {
          const state = memberOf(event.json, "state");
          const from = memberOf(event.json, "previousState");
          if (state === "disconnected") continue;
          const isRight = state === "auth_required" ? from === "active" : from !== "active";
          const expected = state === "auth_required" ? "active" : "a state that is not active";
          const claim = state === "auth_required" ? "BAC-05.auth-required" : "BAC-05.active";
          assertions.of(claim).check(isRight, breachAt(event, "/previousState", expected));
        }
      }
    },
  ),
  {
    claims: ["BAC-05.auth-required"],
    title: "an expired consent does not change a disconnected account",
    requires: CHANGED,
    run: async (session) => {
      const { completed, missing } = await connectionRepetitions(session);
      const all = await allDeliveries(session);
      const assertions = new Assertions();
      for (const { situation, earlier, events, resource } of completed) {
        if (situation !== "expire-disconnected") continue;
        const event = undueEvents(events, earlier, all).find(({ json }) => {
          return memberOf(json, "state") === "auth_required";
        });
        assertions.of("BAC-05.auth-required", situation).check(event === undefined, {
          expected: "no auth_required of a disconnected account",
          actual: "one was delivered",
          evidence: [event ?? resource],
        });
      }
      return assertions.result("no consent of a disconnected account expired", missing);
    },
  },
];

/** Creates a check of the changes of a connection. */
function ofChanges(
  claims: readonly ClaimId[],
  title: string,
  inspect: (assertions: Assertions, changes: readonly ConnectionChange[]) => void,
): Check {
  return {
    claims,
    title,
    requires: CHANGED,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed, missing } = await connectionChanges(session);
      inspect(assertions, completed);
      return assertions.result(NOTHING, missing);
    },
  };
}

/** Asserts the announcements of the selected changes, in all occurrences. */
function announced(
  assertions: Assertions,
  changes: readonly ConnectionChange[],
  isSelected: (change: ConnectionChange) => boolean,
): void {
  const counts = new Map<string, number>();
  for (const change of changes.filter(isSelected)) {
    const { bankAccountId, state, previousState, resource } = change;
    const claim = MOVES[`${previousState} ${state}`];
    if (claim === undefined) continue;
    const own = `${bankAccountId} ${claim}`;
    const count = counts.get(own) ?? 0;
    counts.set(own, count + 1);
    const what = `bankaccount.state_changed of ${bankAccountId} to ${state}`;
    const move = assertions.of(claim, ...ORDINALS.slice(count, count + 1));
    move.wasDelivered(eventsOf(change), what, resource, (event) => [
      ...differences(event, { "/state": state, "/previousState": previousState }),
      ...(state === "auth_required" && !hasReason(event)
        ? [breachAt(event, "/reason", REASON)]
        : []),
    ]);
  }
}

const REASON = "a reason, such as consent_expiring";

function hasReason({ json }: Delivery): boolean {
  return typeof memberOf(json, "reason") === "string";
}

function eventsOf({
  deliveries,
  bankAccountId,
}: Pick<ConnectionChange, "deliveries" | "bankAccountId">) {
  return findEvents(deliveries, EVENT, { "/bankAccountId": bankAccountId });
}
