import { changeSubscriptionTransition, replaceAnnounceDuring } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import {
  changeEvents,
  changeEventsNamed,
  dropEvents,
  type Json,
  mutationState,
  onEvents,
  replaceEvent,
  sendAfter,
} from "../rewrite.ts";

const CREATED = "cardsubscription.created" as const;
const UPDATED = "cardsubscription.updated" as const;

const isUpgraded = (body: Json) =>
  body.enrollmentType === "cardholder-single" && body.state === "reqSCA" && body.bankAccountId;

/** Whether a card of the bank account is in reqSCA. */
async function isWaiting(
  bankAccountId: string,
  { sandbox }: Parameters<NonNullable<Mutation["inside"]>>[0],
) {
  const subscriptions = await sandbox.resources("card-subscriptions", { limit: 10_000 });
  return subscriptions
    .map(({ body }) => body as Json)
    .some((one) => one.bankAccountId === bankAccountId && one.state === "reqSCA");
}

/** Mutations of how subscriptions change. */
export const subChanges: readonly Mutation[] = [
  {
    id: "sub/reactivated",
    requirement: "SUB-05",
    description: "A nightly sync reactivates deactivated subscriptions",
    checks: [
      "SUB-05: no delivery contradicts another",
      "SUB-05: a subscription of each type ends as deactivated",
      "SUB-05: subscriptions that change several times move only as specified",
    ],
    deliveries: sendAfter(UPDATED, (body) => {
      if (body.state !== "deactivated") return undefined;
      return { name: UPDATED, body: { ...body, state: "active" } };
    }),
  },
  {
    id: "sub/deactivated-in-sca",
    requirement: "SUB-05",
    description: "A subscription is deactivated when SCA is cleared",
    checks: [
      "SUB-05: no delivery contradicts another",
      "SUB-05: a driven subscription changes state only as specified",
      "SUB-05: subscriptions that change several times move only as specified",
    ],
    inside: changeSubscriptionTransition("sca-pass", { to: "deactivated" }),
  },
  {
    id: "sub/back-to-sca",
    requirement: "SUB-05",
    description: "A deactivated subscription returns to reqSCA",
    checks: [
      "SUB-05: a subscription of each type ends as deactivated",
      "SUB-05: subscriptions that change several times move only as specified",
    ],
    inside: changeSubscriptionTransition("deactivate", { to: "reqSCA" }),
  },
  {
    id: "sub/upgrade-creates",
    requirement: "SUB-06",
    description: "An upgrade is announced as a second cardsubscription.created",
    checks: [
      "SUB-06: a real card number upgrades a bank-feed subscription in place",
      "SUB-06: no delivery contradicts another",
      "SUB-09: no delivery contradicts another",
    ],
    deliveries: onEvents(UPDATED, async (delivery, { send }) => {
      const body = parseJson(delivery.body);
      await send(isUpgraded(body) ? replaceEvent(delivery, CREATED, body) : delivery);
    }),
  },
  {
    id: "sub/upgrade-creates-too",
    requirement: "SUB-06",
    description: "An upgrade sends cardsubscription.created in addition to updated",
    checks: ["SUB-06: a real card number upgrades a bank-feed subscription in place"],
    deliveries: sendAfter(UPDATED, (body) => {
      return isUpgraded(body) ? { name: CREATED, body } : undefined;
    }),
  },
  {
    id: "sub/upgrade-keeps-type",
    requirement: "SUB-06",
    description: "An upgrade requires SCA, but the type stays bank-feed",
    checks: ["SUB-06: a real card number upgrades a bank-feed subscription in place"],
    ...changeUpgraded((body) => {
      body.enrollmentType = "bank-feed";
    }),
  },
  {
    id: "sub/upgrade-without-sca",
    requirement: "SUB-06",
    description: "An upgraded card stays active without SCA",
    checks: [
      "SUB-06: a real card number upgrades a bank-feed subscription in place",
      "SUB-06: no delivery contradicts another",
    ],
    inside: changeSubscriptionTransition("upgrade", { to: "active" }),
  },
  {
    id: "sub/upgrade-loses-account",
    requirement: "SUB-06",
    description: "An upgrade removes the subscription's bank account",
    checks: ["SUB-06"],
    ...changeUpgraded((body) => {
      delete body.bankAccountId;
      delete body._links.bankAccount;
    }),
  },
  {
    id: "sub/upgrade-unannounced",
    requirement: "SUB-06",
    description: "An upgrade is not announced until SCA is cleared",
    checks: [
      "SUB-06: a real card number upgrades a bank-feed subscription in place",
      "SUB-06: no delivery contradicts another",
    ],
    inside: changeSubscriptionTransition("upgrade", { sends: [] }),
  },
  {
    id: "sub/link-changes-type",
    requirement: "SUB-07",
    description: "Linking a card changes its type to bank-feed",
    checks: ["SUB-07: a card that is linked later gains only its bank account"],
    ...changeLinked((body) => {
      body.enrollmentType = "bank-feed";
    }),
  },
  {
    id: "sub/link-asks-for-sca",
    requirement: "SUB-07",
    description: "Linking a card requires SCA again",
    checks: ["SUB-07"],
    inside: changeSubscriptionTransition("link-card", { to: "reqSCA" }),
  },
  {
    id: "sub/link-unannounced",
    requirement: "SUB-07",
    description: "Linking a card is not announced",
    checks: [
      "SUB-07: a card that is linked later gains only its bank account",
      "SUB-07: an enrolled card linked by a completion gains only its bank account",
    ],
    inside: changeSubscriptionTransition("link-card", { sends: [] }),
  },
  {
    id: "sub/link-announced-without-account",
    requirement: "SUB-07",
    description: "The event for a linked card is built before the link is saved",
    checks: [
      "SUB-07: a card that is linked later gains only its bank account",
      "SUB-07: an enrolled card linked by a completion gains only its bank account",
    ],
    deliveries: changeEventsNamed(UPDATED, (body, { run }) => {
      const known = mutationState(run, "linked", () => new Set<string>());
      if (body.enrollmentType === "bank-feed" || !body.bankAccountId) return;
      if (known.has(body.id) || isUpgraded(body)) return;
      known.add(body.id);
      delete body.bankAccountId;
      delete body._links.bankAccount;
    }),
  },
  {
    id: "sub/sca-stops-postings",
    requirement: "SUB-08",
    description: "While a card is in reqSCA, its account's bank transactions are not announced",
    checks: [
      "SUB-08: bank transactions sync and are announced in reqSCA",
      "SUB-08: bank transactions sync while a linked card is in reqSCA",
    ],
    deliveries: dropEvents("banktransaction.created", ({ bankAccountId }, run) =>
      isWaiting(bankAccountId, run),
    ),
  },
  {
    id: "sub/sca-stops-matches",
    requirement: "SUB-08",
    description: "While a card is in reqSCA, its matches are not announced",
    checks: ["SUB-08: bank transactions match and are announced in reqSCA"],
    deliveries: dropEvents("transaction.match.created", ({ matches }, run) =>
      isWaiting(matches[0].bankAccountId, run),
    ),
  },
  {
    id: "sub/deactivation-unannounced",
    requirement: "SUB-09",
    description: "The deactivation of a subscription is not announced",
    checks: [
      "SUB-09: each change of a subscription is announced as updated",
      "SUB-01: GET of a subscription equals its last event",
    ],
    inside: changeSubscriptionTransition("deactivate", { sends: [] }),
  },
  {
    id: "sub/updated-first",
    requirement: "SUB-09",
    description: "A database trigger sends updated on insert, before created",
    checks: ["SUB-09: an immediate change is announced after the subscription's creation"],
    deliveries: onEvents(CREATED, async (delivery, { send }) => {
      await send(replaceEvent(delivery, UPDATED, parseJson(delivery.body)));
      await send(delivery);
    }),
  },
  {
    id: "sub/created-for-each-change",
    requirement: "SUB-09",
    description: "Each change is announced as cardsubscription.created",
    checks: ["SUB-09: a driven subscription is announced as created once, then as updated"],
    deliveries: onEvents(UPDATED, async (delivery, { send }) => {
      await send(replaceEvent(delivery, CREATED, parseJson(delivery.body)));
    }),
  },
  {
    id: "sub/update-as-patch",
    requirement: "SUB-09",
    description: "cardsubscription.updated has only the changed fields",
    checks: [
      "SUB-09: an immediate change is announced after the subscription's creation",
      "SUB-01: GET of a subscription equals its last event",
    ],
    deliveries: changeEvents(
      "card-subscriptions",
      ({ id, state, updatedAt, _links, ...body }, { event }) =>
        event === UPDATED
          ? { id, state, updatedAt, _links }
          : { id, state, updatedAt, _links, ...body },
    ),
  },
  {
    id: "sub/minted-as-update",
    requirement: "SUB-10",
    description: "A created bank-feed card is announced by cardsubscription.updated",
    checks: ["SUB-10", "BLK-05: no delivery contradicts another"],
    deliveries: onEvents(CREATED, async (delivery, { send }) => {
      const body = parseJson(delivery.body);
      const isMinted = body.enrollmentType === "bank-feed";
      await send(isMinted ? replaceEvent(delivery, UPDATED, body) : delivery);
    }),
  },
  {
    id: "sub/update-changes-type",
    requirement: "SUB-07",
    description: "Updates of a linked card have the type bank-feed",
    checks: [
      "SUB-07: a card that is linked later gains only its bank account",
      "SUB-07: an enrolled card linked by a completion gains only its bank account",
    ],
    deliveries: changeEventsNamed("cardsubscription.updated", (body) => {
      if (body.bankAccountId) body.enrollmentType = "bank-feed";
    }),
  },
  {
    id: "sub/created-and-updated",
    requirement: "SUB-10",
    description: "A created card also sends cardsubscription.updated",
    checks: ["SUB-10: a bank-derived card is enrolled by cardsubscription.created only"],
    deliveries: sendAfter("cardsubscription.created", (body) => ({
      name: "cardsubscription.updated",
      body,
    })),
  },
];

/** Changes upgraded subscriptions in the store and in events. */
function changeUpgraded(change: (body: Json) => void): Pick<Mutation, "inside"> {
  return changeSubscriptionBy("upgrade", change);
}

/** Changes linked subscriptions in the store and in events. */
function changeLinked(change: (body: Json) => void): Pick<Mutation, "inside"> {
  return changeSubscriptionBy("link-card", change);
}

function changeSubscriptionBy(
  verb: "upgrade" | "link-card",
  change: (body: Json) => void,
): Pick<Mutation, "inside"> {
  return {
    inside: replaceAnnounceDuring(verb, (send, { name, order, body }, { store }, fire) => {
      if (name !== UPDATED) return send(name, order, body);
      const subscription = store.find("card-subscriptions", body.id);
      change(subscription.body);
      store.update(subscription);
      send(name, order, subscription.body);
      fire();
    }),
  };
}
