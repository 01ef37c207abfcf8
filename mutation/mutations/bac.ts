import type { EventPayloads } from "../../generated/events.ts";
import { accountStateEvent, BANK_ACCOUNT_TRANSITIONS } from "../../src/model/bank-account.ts";
import type { UnitOfWork } from "../../src/sandbox/unit-of-work.ts";
import { changeTransition, replaceRefusal } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import {
  changeEventsNamed,
  mutationState,
  onEvents,
  rename,
  replaceEvent,
  sendAfter,
} from "../rewrite.ts";

type StateEvent = EventPayloads["bankaccount.state_changed"];

const CHANGED = "bankaccount.state_changed" as const;

export const bac: readonly Mutation[] = [
  {
    id: "bac/state-upper-case",
    requirement: "BAC-01",
    description: "States are serialized as the names of enum constants",
    checks: ["BAC-01: every body"],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      body.state = body.state.toUpperCase();
      body.previousState = body.previousState.toUpperCase();
    }),
  },
  {
    id: "bac/old-state",
    requirement: "BAC-01",
    description: "previousState is named oldState, as in networkbulkfeed.statechanged",
    checks: ["BAC-01: every body"],
    deliveries: changeEventsNamed(CHANGED, (body) => rename(body, "previousState", "oldState")),
  },
  {
    id: "bac/no-change",
    requirement: "BAC-01",
    description: "The health check announces each state, even if it did not change",
    checks: ["BAC-01: each change of a connection is announced once, with both states"],
    deliveries: sendAfter(CHANGED, (body) => ({
      name: CHANGED,
      body: { ...body, previousState: body.state },
    })),
  },
  {
    id: "bac/previous-is-new",
    requirement: "BAC-01",
    description: "previousState is read after the save",
    checks: [
      "BAC-01: every body",
      "BAC-01: each change of a connection is announced once, with both states",
    ],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      body.previousState = body.state;
    }),
  },
  {
    id: "bac/no-reason",
    requirement: "BAC-02",
    description: "Nulls are omitted: reason and expiresAt are missing",
    checks: ["BAC-02: every body"],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      for (const name of ["reason", "expiresAt"]) if (body[name] === null) delete body[name];
    }),
  },
  {
    id: "bac/expires-never",
    requirement: "BAC-02",
    description: "An unknown expiresAt is an empty string",
    checks: ["CONV-02: every body"],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      body.expiresAt ??= "";
    }),
  },
  {
    id: "bac/reason-code",
    requirement: "BAC-02",
    description: "reason is a numeric error code",
    checks: ["BAC-02: an expired consent has a reason", "BAC-02: every body"],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      if (body.reason !== null) body.reason = 1042;
    }),
  },
  {
    id: "bac/previous-active",
    requirement: "BAC-03",
    description: "previousState is always the initial state, active",
    checks: ["BAC-03"],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      if (body.state !== "active") body.previousState = "active";
    }),
  },
  {
    id: "bac/previous-other",
    requirement: "BAC-03",
    description: "previousState comes from a stale cache",
    checks: ["BAC-03"],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      if (body.state !== "active") return;
      body.previousState = body.previousState === "disconnected" ? "auth_required" : "disconnected";
    }),
  },
  {
    id: "bac/expiry-unannounced",
    requirement: "BAC-04",
    description: "An expired consent is reported by email only",
    checks: ["BAC-04: an expired consent is announced as auth_required"],
    inside: changeTransition(BANK_ACCOUNT_TRANSITIONS, "consent-expire", { sends: [] }),
  },
  {
    id: "bac/recovery-unannounced",
    requirement: "BAC-04",
    description: "A recovered connection is not announced",
    checks: ["BAC-04: a lost connection and its recovery are announced from any state"],
    inside: changeTransition(BANK_ACCOUNT_TRANSITIONS, "recover", { sends: [] }),
  },
  {
    id: "bac/expiry-disconnects",
    requirement: "BAC-04",
    description: "An expired consent disconnects the account",
    checks: ["BAC-04: an expired consent is announced as auth_required"],
    inside: changeTransition(BANK_ACCOUNT_TRANSITIONS, "consent-expire", { to: "disconnected" }),
  },
  {
    id: "bac/loss-needs-consent",
    requirement: "BAC-04",
    description: "Every provider error is treated as a consent error",
    checks: ["BAC-04: a lost connection and its recovery are announced from any state"],
    inside: changeTransition(BANK_ACCOUNT_TRANSITIONS, "disconnect", { to: "auth_required" }),
  },
  {
    id: "bac/expiry-without-reason",
    requirement: "BAC-04",
    description: "The reason of an expired consent is lost",
    checks: [
      "BAC-02: an expired consent has a reason",
      "BAC-04: an expired consent is announced as auth_required",
    ],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      body.reason = null;
    }),
  },
  {
    id: "bac/expiry-again-without-reason",
    requirement: "BAC-04",
    description: "A consent that expires again has no reason",
    checks: ["BAC-04: an expired consent is announced as auth_required"],
    deliveries: changeEventsNamed(CHANGED, (body, { run }) => {
      if (body.state !== "auth_required") return;
      const known = mutationState(run, "expired", () => new Set<string>());
      if (known.has(body.bankAccountId)) body.reason = null;
      known.add(body.bankAccountId);
    }),
  },
  {
    id: "bac/expiry-kept",
    requirement: "BAC-02",
    description: "expiresAt of an expired consent stays in the account's row",
    checks: ["BAC-02: a change after an expired consent does not repeat expiresAt"],
    deliveries: changeEventsNamed(CHANGED, (body, { run }) => {
      const known = mutationState(run, "expiresAt", () => new Map<string, string>());
      body.expiresAt ??= known.get(body.bankAccountId) ?? null;
      known.set(body.bankAccountId, body.expiresAt);
    }),
  },
  {
    id: "bac/previous-of-other-account",
    requirement: "BAC-04",
    description: "The state before a change is kept for the provider, not for each account",
    checks: ["BAC-04: changes of two accounts of one link are announced in turn"],
    deliveries: changeEventsNamed(CHANGED, (body, { run }) => {
      const last = mutationState(run, "last", () => ({ state: body.previousState }));
      if (last.state !== body.state) body.previousState = last.state;
      last.state = body.state;
    }),
  },
  {
    id: "bac/consent-from-disconnected",
    requirement: "BAC-05",
    description: "A reconnected account first becomes auth_required",
    checks: [
      "BAC-05: no delivery contradicts another",
      "BAC-05: auth_required is entered only from active, active from another state",
    ],
    deliveries: onEvents(CHANGED, async (delivery, { send }) => {
      const body = parseJson(delivery.body);
      if (body.state !== "active" || body.previousState !== "disconnected") {
        return await send(delivery);
      }
      await send(replaceEvent(delivery, CHANGED, { ...body, state: "auth_required" }));
      await send(replaceEvent(delivery, CHANGED, { ...body, previousState: "auth_required" }));
    }),
  },
  {
    id: "bac/previous-fixed",
    requirement: "BAC-03",
    description: "previousState is active for active, and disconnected for all other states",
    checks: [
      "BAC-03: previousState is the state after the previous change",
      "BAC-05: auth_required is entered only from active, active from another state",
    ],
    deliveries: changeEventsNamed("bankaccount.state_changed", (body) => {
      body.previousState = body.state === "active" ? "active" : "disconnected";
    }),
  },
  {
    id: "bac/expiry-repeated",
    requirement: "BAC-01",
    description: "The daily reminder of an expired consent is announced as a change",
    checks: ["BAC-01: a repeated change of a connection is not announced"],
    inside: replaceRefusal("consent-expire", (work, { bankAccountId }) =>
      announceAs(work, bankAccountId, { state: "auth_required", previousState: "active" }),
    ),
  },
  {
    id: "bac/expiry-of-disconnected",
    requirement: "BAC-05",
    description: "The consent of a disconnected account expires too",
    checks: ["BAC-05: an expired consent does not change a disconnected account"],
    inside: replaceRefusal("consent-expire", (work, { bankAccountId }) => {
      const { state } = work.store.find("bank-accounts", bankAccountId).internal;
      if (state !== "disconnected") return { bankAccountId };
      return announceAs(work, bankAccountId, { state: "auth_required", previousState: state });
    }),
  },
  {
    id: "bac/second-loss-unannounced",
    requirement: "BAC-04",
    description: "Only the first loss of a connection is announced",
    checks: ["BAC-04: a lost connection and its recovery are announced from any state"],
    deliveries: onEvents(CHANGED, async (delivery, { send }, run) => {
      const { bankAccountId, state } = parseJson(delivery.body);
      const known = mutationState(run, "lost", () => new Set<string>());
      if (state !== "disconnected" || !known.has(bankAccountId)) await send(delivery);
      if (state === "disconnected") known.add(bankAccountId);
    }),
  },
  {
    id: "bac/whole-provider-lost",
    requirement: "BAC-04",
    description: "A lost connection is announced for all accounts of the provider",
    checks: ["BAC-04: a change of a connection leaves other links unchanged"],
    deliveries: onEvents(CHANGED, async (delivery, { send }, run) => {
      await send(delivery);
      const body = parseJson(delivery.body);
      if (body.state !== "disconnected") return;
      const accounts = await run.sandbox.resources("bank-accounts", { limit: 10_000 });
      for (const { id } of accounts) {
        if (id === body.bankAccountId) continue;
        await send(replaceEvent(delivery, CHANGED, { ...body, bankAccountId: id }));
      }
    }),
  },
];

function announceAs(
  work: UnitOfWork,
  bankAccountId: string,
  states: Pick<StateEvent, "state" | "previousState">,
) {
  const { accountId } = work.store.find("bank-accounts", bankAccountId);
  const event = accountStateEvent(bankAccountId, states, { reason: "consent_expiring" });
  work.announce(CHANGED, { accountId, resource: bankAccountId }, event);
  return { bankAccountId };
}
