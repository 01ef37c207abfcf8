import * as is from "../bugs.ts";
import { bug, field, fields } from "../bugs.ts";
import { event } from "../events.ts";
import { transition, verb } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import { linkedFromCards } from "../requests.ts";
import {
  type Json,
  nth,
  OTHER_ID,
  resource,
  resourcesOf,
  responses,
  type Where,
} from "../rewrite.ts";

const CREATED = "cardsubscription.created" as const;
const UPDATED = "cardsubscription.updated" as const;

const subscription = resource("card-subscriptions");
const created = event(CREATED);
const updated = event(UPDATED);
const linkCard = verb("link-card");

const isBankFeed = (body: Json) => body.enrollmentType === "bank-feed";

/** Whether a subscription shows that it was just upgraded. */
const isUpgraded = (body: Json) =>
  body.enrollmentType === "cardholder-single" && body.state === "reqSCA" && body.bankAccountId;

function unlink(body: Json): void {
  delete body.bankAccountId;
  delete body._links.bankAccount;
}

function linkTo(body: Json, bankAccountId: string): void {
  body.bankAccountId = bankAccountId;
  body._links.bankAccount.href = `/bank-accounts/${bankAccountId}`;
}

/** Whether a card of the bank account is in reqSCA. */
async function isWaiting(bankAccountId: string, run: Where): Promise<boolean> {
  const all = (await resourcesOf(run, "card-subscriptions")).map(({ body }) => body);
  return all.some((one) => one.bankAccountId === bankAccountId && one.state === "reqSCA");
}

/** What the events of a subscription have shown. */
interface Past {
  readonly before: Json;
  /** Whether it was a bank-feed subscription that was upgraded. */
  readonly wasUpgraded: boolean;
}

/** Does not send updates of subscriptions, by what changed. */
const updateSilent = (isSilent: (now: Json, past: Past, run: Where) => unknown) =>
  event(CREATED, UPDATED).silent((body, run) => {
    const { before, wasUpgraded } = pastOf(body, run);
    return before && isSilent(body, { before, wasUpgraded }, run);
  });

function pastOf(body: Json, { memory }: Where): Past {
  const { before, wasUpgraded = false } = memory.get(body.id) ?? {};
  const isUpgrade = before && isBankFeed(before) && !isBankFeed(body);
  memory.set(body.id, { before: body, wasUpgraded: wasUpgraded || isUpgrade });
  return { before, wasUpgraded };
}

const isEnd = (now: Json, { before }: Past) =>
  before.state !== "deactivated" && now.state === "deactivated";
const isLink = (now: Json, { before }: Past) => !before.bankAccountId && now.bankAccountId;

/** Mutations of subscriptions. */
export const sub: readonly Mutation[] = [
  bug("sub/type-upper-case", "SUB-01.enrollment-type")
    .is("An enum is serialized by the names of its constants")
    .by(subscription.set("/enrollmentType", (type) => type.toUpperCase().replaceAll("-", "_"))),
  bug("sub/no-reference", "SUB-01.customer-reference").is(
    "customerReferenceId is omitted if the caller did not set it",
    subscription.when((body) => body.customerReferenceId === null).drop("/customerReferenceId"),
  ),
  ...fields(subscription, [
    ["sub/no-expiration", "SUB-01.fields", "/expirationDate", is.omitted],
    ["sub/bulk-without-link", "SUB-02.set-bulk", "/_links/networkBulkFeed", is.omitted],
    ["sub/bank-account-null", "SUB-03.together", "/bankAccountId", is.filled(null)],
    ["sub/no-bank-account-link", "SUB-03.together", "/_links/bankAccount", is.omitted],
  ]),
  bug("sub/no-feed-id", "SUB-02.null-others")
    .is("Nulls are left out: networkBulkFeedId is not there")
    .by(subscription.when({ networkBulkFeedId: null }).drop("/networkBulkFeedId")),
  bug("sub/feed-link-null", "SUB-02.null-others")
    .is("Every subscription has a networkBulkFeed link, even to null")
    .by(subscription.fill("/_links/networkBulkFeed", { href: "/network-bulk-feeds/null" })),
  bug("sub/bulk-without-feed", "SUB-02.set-bulk")
    .is("The event of a bulk enrollment is sent before the feed is assigned")
    .by(created.set("/networkBulkFeedId", null).drop("/_links/networkBulkFeed")),
  bug("sub/minted-without-account", "SUB-03.bank-feed")
    .is("A created card is announced before it is linked to its account")
    .by(created.when(isBankFeed), unlink),
  transition("sub/single-begins-active", "SUB-04.single-starts", "enroll", { to: "active" }),
  transition("sub/bulk-begins-in-sca", "SUB-04.bulk-starts", "enroll-in-bulk", { to: "reqSCA" }),
  transition("sub/bulk-unannounced", "SUB-04.bulk-created", "enroll-in-bulk", { sends: [] }),
  bug("sub/announced-when-cleared", "SUB-04.single-created").is(
    "cardsubscription.created is sent once SCA is cleared",
    event(CREATED, UPDATED).handle(async (body, { event: name, memory, send }) => {
      if (name === CREATED && body.state === "reqSCA") return memory.set(body.id, "waiting");
      await (name === UPDATED && memory.delete(body.id) ? send(body, CREATED) : send());
    }),
  ),
  bug(
    "sub/initial-states-swapped",
    "SUB-04.single-starts",
    "SUB-04.bulk-starts",
    "SUB-04.feed-starts",
  )
    .is("The initial states of the enrollment types are swapped")
    .by(created.set("/state", (state) => (state === "active" ? "reqSCA" : "active"))),
  bug("sub/old-format-linked", "SUB-01.fields", "SUB-02.set-bulk", "SUB-03.bank-feed").is(
    "Cards link to subscriptions in the format of an old version",
    linkedFromCards(
      responses("card-subscriptions")
        .drop("/state", "/_links/bankAccount", "/_links/networkBulkFeed")
        .fill("/networkBulkFeedId", OTHER_ID),
    ),
  ),
  // Changes.
  bug("sub/reactivated", "SUB-05.no-other-move").is(
    "A nightly sync reactivates deactivated subscriptions",
    updated.twice((body) =>
      body.state === "deactivated" ? { ...body, state: "active" } : undefined,
    ),
  ),
  transition("sub/deactivated-in-sca", ["SUB-05.no-other-move", "SUB-05.cleared"], "sca-pass", {
    to: "deactivated",
  }),
  transition("sub/back-to-sca", ["SUB-05.deactivated", "SUB-05.no-other-move"], "deactivate", {
    to: "reqSCA",
  }),
  bug("sub/upgrade-creates", "SUB-06.no-created", "SUB-06.updated")
    .is("An upgrade is announced as a second cardsubscription.created")
    .by(updated.as(CREATED, isUpgraded)),
  bug("sub/upgrade-creates-too", "SUB-06.no-created")
    .is("An upgrade sends cardsubscription.created in addition to updated")
    .by(updated.twice((body) => (isUpgraded(body) ? body : undefined), CREATED)),
  bug("sub/upgrade-keeps-type", "SUB-06.type")
    .is("An upgrade requires SCA, but the type stays bank-feed")
    .by(verb("upgrade").subscription({ enrollmentType: "bank-feed" })),
  transition("sub/upgrade-without-sca", "SUB-06.state", "upgrade", { to: "active" }),
  bug("sub/upgrade-loses-account", "SUB-06.same-account")
    .is("An upgrade removes the subscription's bank account")
    .by(verb("upgrade").subscription(unlink)),
  transition("sub/upgrade-unannounced", "SUB-06.updated", "upgrade", { sends: [] }),
  bug("sub/link-changes-type", "SUB-07.type-kept")
    .is("Linking a card changes its type to bank-feed")
    .by(linkCard.subscription({ enrollmentType: "bank-feed" })),
  transition("sub/link-asks-for-sca", "SUB-07.state-kept", "link-card", { to: "reqSCA" }),
  transition("sub/link-unannounced", "SUB-07.updated", "link-card", { sends: [] }),
  bug("sub/link-announced-without-account", "SUB-07.gains-account").is(
    "The event for a linked card is built before the link is saved",
    updated
      .when((body) => !isBankFeed(body) && body.bankAccountId)
      .change((body, { memory }) => {
        if (memory.has(body.id) || isUpgraded(body)) return;
        memory.set(body.id, "linked");
        unlink(body);
      }),
  ),
  bug("sub/sca-stops-postings", "SUB-08.syncs")
    .is("While a card is in reqSCA, its account's bank transactions are not announced")
    .by(event("banktransaction.created").silent((body, run) => isWaiting(body.bankAccountId, run))),
  bug("sub/sca-stops-matches", "SUB-08.matches").is(
    "While a card is in reqSCA, its matches are not announced",
    event("transaction.match.created").silent(({ matches }, run) =>
      isWaiting(matches[0].bankAccountId, run),
    ),
  ),
  transition("sub/deactivation-unannounced", "SUB-09.every-change", "deactivate", { sends: [] }),
  bug("sub/updated-first", "SUB-09.created-first").is(
    "A database trigger sends updated on insert, before created",
    created.handle(async (body, { send }) => {
      await send(body, UPDATED);
      await send();
    }),
  ),
  bug("sub/created-for-each-change", "SUB-09.one-created")
    .is("Each change is announced as cardsubscription.created")
    .by(updated.as(CREATED)),
  bug("sub/update-as-patch", "SUB-09.same-shape")
    .is("cardsubscription.updated has only the changed fields")
    .by(updated, ({ id, state, updatedAt, _links }) => ({ id, state, updatedAt, _links })),
  bug("sub/minted-as-update", "SUB-10.only-signal")
    .is("A created bank-feed card is announced by cardsubscription.updated")
    .by(created.as(UPDATED, isBankFeed)),
  bug("sub/update-changes-type", "SUB-07.type-kept")
    .is("Updates of a linked card have the type bank-feed")
    .by(updated.when((body) => body.bankAccountId).set("/enrollmentType", "bank-feed")),
  bug("sub/created-and-updated", "SUB-10.only-signal")
    .is("A created card also sends cardsubscription.updated")
    .by(created.twice((body) => body, UPDATED)),
  // What shows in some situations only.
  bug("sub/feed-of-another", "SUB-02.own-feed").is(
    "The subscriptions of a feed name the feed before it",
    created
      .when((body) => body.networkBulkFeedId !== null)
      .change((body, { memory }) => {
        const { networkBulkFeedId: own } = body;
        const first = memory.get("first") ?? own;
        memory.set("first", first);
        if (first === own) return;
        body.networkBulkFeedId = first;
        body._links.networkBulkFeed.href = `/network-bulk-feeds/${first}`;
      }),
  ),
  bug("sub/minted-on-first-account", "SUB-03.own-account")
    .is("Every created card is announced with the link's first account")
    .by(created.when(isBankFeed), (body, { memory }) => {
      const first = memory.get("first") ?? body.bankAccountId;
      memory.set("first", first);
      linkTo(body, first);
    }),
  bug("sub/linked-to-another", "SUB-03.own-account")
    .is("A card that is linked later is saved with another account")
    .by(linkCard.subscription((body) => linkTo(body, OTHER_ID))),
  bug("sub/bulk-link-unannounced", "SUB-07.updated")
    .is("Linking a card of a bulk feed is not announced")
    .by(linkCard.silent(UPDATED, (body) => body.enrollmentType === "network-bulk")),
  bug("sub/ended-link-unannounced", "SUB-07.updated")
    .is("The card of a subscription that has ended is linked without an event")
    .by(linkCard.silent(UPDATED, (body) => body.state === "deactivated")),
  bug("sub/bulk-end-unannounced", "SUB-05.deactivated")
    .is("The end of a bulk subscription is not announced")
    .by(updated.silent({ enrollmentType: "network-bulk", state: "deactivated" })),
  bug("sub/account-lost-after-sca", "SUB-06.same-account")
    .is("Clearing the SCA of an upgraded card removes its bank account")
    .by(verb("sca-pass").subscription(unlink)),
  bug("sub/second-upgrade-unannounced", "SUB-06.updated").is(
    "Only the first upgrade of an account is announced",
    updated.silent(({ id, state, enrollmentType, bankAccountId }, { memory }) => {
      const isUpgrade = enrollmentType === "cardholder-single" && state === "reqSCA";
      if (isUpgrade && bankAccountId) memory.set(id, "upgraded");
      return memory.size > 1 && memory.has(id) && state === "reqSCA";
    }),
  ),
  bug("sub/first-change-only", "SUB-09.every-change")
    .is("Only the first change of a subscription is announced")
    .by(updated.silent(({ id }, run) => nth(run, id) > 1)),
  bug("sub/clock-goes-back", "SUB-09.timestamps")
    .is("updatedAt of a deactivated subscription is its effective date")
    .by(verb("deactivate").subscription({ updatedAt: "2020-01-01T00:00:00.000Z" })),
  bug("sub/clearance-repeated", "SUB-09.no-empty-update").is(
    "A second SCA of an active card is announced, though nothing changed",
    verb("sca-pass").refused((work, { subscriptionId }) => {
      const { id, accountId, body } = work.store.find("card-subscriptions", subscriptionId);
      const updatedAt = work.nowAfter(body.updatedAt);
      work.announce(UPDATED, { accountId, resource: id }, { ...body, updatedAt });
      return { subscriptionId: id, cardId: body.cardId };
    }),
  ),
  bug("sub/end-toggles", "SUB-05.no-other-move").is(
    "A second end of a subscription silently activates it again",
    verb("deactivate").refused(({ store }, { subscriptionId }) => {
      const one = store.find("card-subscriptions", subscriptionId);
      one.body = { ...one.body, state: "active" };
      store.update(one);
      return { subscriptionId, cardId: one.body.cardId };
    }),
  ),
  bug("sub/upgrade-of-expired-account", "SUB-06.same-account").is(
    "The upgrade drops the bank account if its consent has expired",
    verb("upgrade").announcing((body, { work: { store } }) => {
      const { state } = store.find("bank-accounts", body.bankAccountId).internal;
      if (state === "active") return body;
      const changed = structuredClone(body);
      unlink(changed);
      return changed;
    }),
  ),
  bug("sub/bank-feed-end-unannounced", "SUB-05.deactivated")
    .is("The end of a bank-feed subscription is not announced")
    .by(updateSilent((now, past) => isEnd(now, past) && isBankFeed(now))),
  bug("sub/upgraded-end-unannounced", "SUB-05.deactivated")
    .is("The end of an upgraded subscription is not announced")
    .by(updateSilent((now, past) => isEnd(now, past) && past.wasUpgraded)),
  bug("sub/upgraded-clearance-unannounced", "SUB-05.cleared").is(
    "The SCA of an upgraded subscription is cleared without an event",
    updateSilent((now, { before, wasUpgraded }) => {
      return wasUpgraded && before.state === "reqSCA" && now.state === "active";
    }),
  ),
  bug("sub/linked-end-unannounced", "SUB-09.every-change").is(
    "The end of a card with a bank account is announced by the bank side only",
    updateSilent((now, past) => {
      const isSingle = now.enrollmentType === "cardholder-single" && now.bankAccountId;
      return isEnd(now, past) && !past.wasUpgraded && isSingle;
    }),
  ),
  bug("sub/waiting-link-unannounced", "SUB-07.updated")
    .is("A card in reqSCA is linked without an event")
    .by(updateSilent((now, past) => isLink(now, past) && now.state === "reqSCA")),
  bug("sub/later-completion-unannounced", "SUB-07.updated").is(
    "Only the first completion announces that enrolled cards were linked",
    event("banklink.completed", CREATED, UPDATED).silent((body, run) => {
      for (const { id, cardIds } of body.bankAccounts ?? []) {
        for (const cardId of cardIds) run.memory.set(`${id} ${cardId}`, "linked");
      }
      if (body.bankLinkId) return false;
      const past = pastOf(body, run);
      const isLinked = past.before && isLink(body, past);
      return (
        isLinked && run.memory.has(`${body.bankAccountId} ${body.cardId}`) && nth(run, "links") > 1
      );
    }),
  ),
  bug("sub/second-bulk-card-unannounced", "SUB-04.bulk-created")
    .is("Only the first card of a bulk feed is announced")
    .by(created.silent(({ networkBulkFeedId: feed }, run) => feed !== null && nth(run, feed) > 1)),
];

const CHANGED = "networkbulkfeed.statechanged" as const;

const changed = event(CHANGED);

const isFailed = (body: Json) => body.newState === "failed";
const isActive = (body: Json) => body.newState === "active";

const failed = changed.when(isFailed, "events of failed feeds");
const accepted = changed.when((body) => !isFailed(body), "events of accepted feeds");

/** Mutations of bulk feeds. */
export const nbf: readonly Mutation[] = [
  ...fields(changed, [
    ["nbf/previous-state", "NBF-01.fields", "/oldState", is.named("previousState")],
    ["nbf/no-reference", "NBF-01.fields", "/networkReference", is.omitted],
    ["nbf/network-in-lower-case", "NBF-01.fields", "/network", is.lower],
    ["nbf/error-null", "NBF-02.absent", "/errorReason", is.filled(null)],
    ["nbf/count-dropped", "NBF-03.present", "/expectedCardCount", is.omitted],
    ["nbf/count-always", "NBF-03.absent", "/expectedCardCount", is.filled(0)],
    ["nbf/same-state", "NBF-05.differ", "/oldState", is.copyOf("newState")],
    ["nbf/no-error-reason", "NBF-02.present", "/errorReason", is.omitted],
    ["nbf/self-behind-gateway", "NBF-01.self", "/_links/self/href", is.prefixed("/internal")],
    ["nbf/network-of-cards", "NBF-01.network", "/network", is.always("NETWORK_A")],
  ]),
  field("nbf/error-on-success", "NBF-02.absent", accepted, "/errorReason", is.always("")),
  field("nbf/count-dropped-on-failure", "NBF-03.present", failed, "/expectedCardCount", is.omitted),
  transition("nbf/failure-unannounced", "NBF-04.rejected", "feed-reject", { sends: [] }),
  transition("nbf/acceptance-unannounced", "NBF-04.accepted", "feed-accept", { sends: [] }),
  bug("nbf/rejected-active", "NBF-04.rejected")
    .is("A rejected feed is announced as active")
    .by(changed.when(isFailed).set("/newState", "active").drop("/errorReason")),
  bug("nbf/fails-after-all", "NBF-04.accepted", "NBF-04.no-other-move").is(
    "A timeout also fires for accepted feeds, so they fail",
    changed.twice((body) => {
      return isActive(body) ? { ...body, newState: "failed", errorReason: "TIMEOUT" } : undefined;
    }),
  ),
  bug("nbf/states-swapped", "NBF-04.accepted", "NBF-04.rejected")
    .is("oldState and newState are swapped")
    .by(changed, (body) => {
      [body.oldState, body.newState] = [body.newState, body.oldState];
    }),
  bug("nbf/count-dropped-later", "NBF-03.present").is(
    "An active feed fails later, in an event without expectedCardCount",
    changed.twice(({ expectedCardCount, ...body }) => {
      return isActive(body) ? { ...body, oldState: "active", newState: "failed" } : undefined;
    }),
  ),
  bug("nbf/decided-again", "NBF-04.no-other-move").is(
    "Accepting an accepted feed again is announced again",
    verb("feed-accept").refused((work, { feedId }) => {
      const { accountId, body } = work.store.find("network-bulk-feeds", feedId);
      const again = { ...body, oldState: "submitted", newState: "active" };
      work.announce(CHANGED, { accountId, resource: feedId }, again as Json);
      return { feedId, subscriptionIds: [] };
    }),
  ),
  bug("nbf/uncounted-acceptance-unannounced", "NBF-04.accepted")
    .is("The acceptance of a feed without expectedCardCount is not announced")
    .by(changed.silent((body) => isActive(body) && body.expectedCardCount === undefined)),
  bug("nbf/counted-rejection-unannounced", "NBF-04.rejected")
    .is("The rejection of a feed with expectedCardCount is not announced")
    .by(changed.silent((body) => isFailed(body) && body.expectedCardCount !== undefined)),
];
