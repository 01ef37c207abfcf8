import { setTimeout } from "node:timers/promises";
import type { UnitOfWork } from "../../src/world/unit-of-work.ts";
import * as is from "../bugs.ts";
import { bug, field, fields } from "../bugs.ts";
import { event } from "../events.ts";
import { announced, job, transition, verb } from "../internals.ts";
import type { Exchange, HttpResponse, Mutation, MutationRun } from "../mutation.ts";
import { on } from "../requests.ts";
import { type Json, nth, OTHER_ID, resourcesOf } from "../rewrite.ts";

const COMPLETED = "banklink.completed" as const;
const ENROLLED = "cardsubscription.created" as const;

const completed = event(COMPLETED);
const enrolled = event(ENROLLED);

const ACCOUNTS = "/bankAccounts/*";
const CARDS = "/bankAccounts/*/cards/*";

const isBankFeed = (body: Json) => body.enrollmentType === "bank-feed";
const withoutCards = ({ cards, ...account }: Json) => account;

/** Handles the PATCH of a link. */
const onPatch = (
  hook: (id: string, exchange: Exchange, run: MutationRun) => Promise<HttpResponse>,
) =>
  on("PATCH /bank-links/{}", (exchange, run) =>
    hook(exchange.path.split("/")[2] ?? "", exchange, run),
  );

/** The state of a bank link. */
async function stateOf(id: string, run: MutationRun): Promise<string> {
  const link = (await resourcesOf(run, "bank-links")).find((one) => one.id === id);
  return link?.hidden.state;
}

/** Mutations of completed bank links. */
export const blk: readonly Mutation[] = [
  ...fields(completed, [
    ["blk/mask-number", "BLK-01.mask", `${ACCOUNTS}/mask`, is.number],
    ["blk/mask-with-stars", "BLK-01.mask", `${ACCOUNTS}/mask`, is.prefixed("****")],
    ["blk/accounts", "BLK-01.fields", "/bankAccounts", is.named("accounts")],
    ["blk/bank-account-id", "BLK-01.fields", `${ACCOUNTS}/id`, is.named("bankAccountId")],
    ["blk/network-upper-case", "BLK-03.lower-case", `${CARDS}/network`, is.upper],
    ["blk/cards-of-debit", "BLK-03.absent", `${ACCOUNTS}/cards`, is.filled([])],
    ["blk/last-4", "BLK-03.fields", `${CARDS}/last4digits`, is.named("last4")],
    ["blk/minted-left-out", "BLK-03.created-cards", `${ACCOUNTS}/cards`, is.omitted],
  ]),
  bug("blk/no-card-ids", "BLK-01.fields").is(
    "omitempty: an empty cardIds is omitted",
    completed.each(ACCOUNTS, (account) => {
      if (account.cardIds.length === 0) delete account.cardIds;
    }),
  ),
  bug("blk/completed-twice", "BLK-02.exactly-one").is(
    "PATCH and polling both complete a link; the second finds the cards enrolled",
    completed.twice((body) => ({ ...body, bankAccounts: body.bankAccounts.map(withoutCards) })),
  ),
  bug("blk/polling-unannounced", "BLK-02.exactly-one")
    .is("Polling completes a link without an event")
    .by(job("poll-link").silent(COMPLETED)),
  bug("blk/notification-unannounced", "BLK-02.exactly-one")
    .is("Only the PATCH handler announces a completion")
    .by(verb("link-complete").silent(COMPLETED)),
  bug("blk/begun-is-completed", "BLK-02.exactly-one").is(
    "The event is also sent when the hosted flow starts",
    verb("link-start").otherwise((original, work, _, fire) => {
      const result = original();
      announceLink(work, result.bankLinkId);
      fire();
      return result;
    }),
  ),
  bug("blk/enrolled-among-cards", "BLK-03.absent").is(
    "cards lists every linked card, including those of debit accounts",
    completed.each(ACCOUNTS, (account) => {
      if (account.cards || account.cardIds.length === 0) return;
      account.cards = account.cardIds.map((id: string) => ({
        ...{ id, subscriptionId: id, last4digits: account.mask },
        ...{ network: "network_a", enrollmentType: "bank-feed" },
      }));
    }),
  ),
  bug("blk/minted-not-among-ids", "BLK-03.in-card-ids").is(
    "cardIds contains only the cards that existed before",
    completed.each(ACCOUNTS, (account) => {
      const ids = (account.cards ?? []).map(({ id }: Json) => id);
      account.cardIds = account.cardIds.filter((id: string) => !ids.includes(id));
    }),
  ),
  bug("blk/enrolled-left-out", "BLK-04.already-enrolled").is(
    "cardIds contains only the cards that the completion created",
    completed.each(ACCOUNTS, (account) => {
      account.cardIds = (account.cards ?? []).map(({ id }: Json) => id);
    }),
  ),
  bug("blk/linked-left-out", "BLK-04.already-enrolled")
    .is("cardIds leaves out a card that has another bank account already")
    .by(completed, async ({ bankAccounts }, run) => {
      const all = (await resourcesOf(run, "card-subscriptions")).map(({ body }) => body);
      for (const account of bankAccounts) {
        account.cardIds = account.cardIds.filter((id: string) =>
          all.some((one) => one.cardId === id && one.bankAccountId === account.id),
        );
      }
    }),
  bug("blk/minted-unannounced", "BLK-05.created-sent")
    .is("Created cards are announced only by banklink.completed")
    .by(enrolled.silent(isBankFeed)),
  bug("blk/only-first-minted-announced", "BLK-05.created-sent")
    .is("The loop returns after the first created card")
    .by(enrolled.silent((body, run) => isBankFeed(body) && nth(run, body.createdAt) > 1)),
  transition("blk/link-never-completes", "BLK-02.exactly-one", "complete", { sends: [] }),
  bug("blk/completed-in-parts", "BLK-02.exactly-one")
    .is("A completion is announced in two parts, before PATCH returns")
    .by({
      ...onPatch(async (_, { forward }, { sandbox }) => {
        const answer = await forward();
        await sandbox.settle();
        return answer;
      }),
      ...completed.twice((body) => ({ ...body, bankAccounts: body.bankAccounts.slice(1) })),
    }),
  bug("blk/mask-of-iban", "BLK-01.mask").is(
    "The mask of a credit account is from its IBAN instead of its card number",
    completed.each(ACCOUNTS, (account) => {
      if (account.type === "credit") account.mask = account.mask === "4711" ? "4712" : "4711";
    }),
  ),
  bug("blk/accounts-without-cards-left-out", "BLK-01.every-account").is(
    "Accounts without a card are left out of banklink.completed",
    completed.set("/bankAccounts", (all: Json[]) => all.filter((one) => one.cardIds.length > 0)),
  ),
  bug("blk/type-of-provider", "BLK-01.type").is(
    "type is the name of the provider, without normalization",
    completed.each(ACCOUNTS, (account) => {
      if (account.type === "credit" && !account.cards) account.type = "revolving";
    }),
  ),
  bug("blk/polling-sends-twice", "BLK-02.exactly-one").is(
    "Polling announces a completion twice: before and after its cards are known",
    completed.handle(async (body, at) => {
      const isFirst = nth(at, body.bankLinkId) === 1 && body.bankAccounts.length === 3;
      const bankAccounts = body.bankAccounts.map(withoutCards);
      if (isFirst) await at.send({ ...body, bankAccounts });
      await at.send();
    }),
  ),
  bug("blk/completed-again", "BLK-02.two-ways").is(
    "A completed link is announced again when its flow ends a second time",
    verb("link-complete").otherwise((original, work, { bankLinkId }, fire) => {
      const { state } = work.store.find("bank-links", bankLinkId).internal;
      const result = original();
      if (state !== "completed") return result;
      fire();
      announceLink(work, bankLinkId);
      return result;
    }),
  ),
  bug("blk/polled-after-patch", "BLK-02.two-ways")
    .is("A PATCH does not cancel the polling, which announces the link again")
    .by({
      ...onPatch(async (id, { forward }, run) => {
        if ((await stateOf(id, run)) === "finished") run.memory.set(id, "due");
        return await forward();
      }),
      ...completed.handle(async ({ bankLinkId }, { memory, fire, send, defer }) => {
        await send();
        if (!memory.has(bankLinkId)) return;
        fire();
        defer();
      }),
    }),
  bug("blk/patched-again", "BLK-02.exactly-one")
    .is("PATCH announces the link, whether it was complete or not")
    .by({
      ...onPatch(async (id, { forward }, run) => {
        const state = await stateOf(id, run);
        const answer = await forward();
        const again = run.memory.get(id);
        if (state !== "completed" || !again) return answer;
        run.fire();
        await again();
        return answer;
      }),
      ...completed.handle(async ({ bankLinkId }, { memory, send }) => {
        await send();
        memory.set(bankLinkId, send);
      }),
    }),
  bug("blk/all-cards-of-subaccount", "BLK-04.no-others")
    .is("cardIds has the cards that were enrolled last, whatever their digits")
    .by(completed, async (body, run) => {
      const cards = await resourcesOf(run, "cards");
      for (const { cardIds } of body.bankAccounts) {
        cardIds.push(...cards.map(({ id }) => id).filter((id) => !cardIds.includes(id)));
      }
    }),
  bug("blk/patched-at-once", "BLK-02.two-ways")
    .is("Two PATCH requests at once both find the link incomplete, and both complete it")
    .by({
      ...onPatch(async (id, { forward }, { memory }) => {
        memory.set(id, memory.has(id) ? "raced" : "open");
        await setTimeout(20);
        const answer = await forward();
        if (memory.get(id) === "open") memory.delete(id);
        return answer;
      }),
      ...completed.handle(async (body, { memory, send }) => {
        await send();
        if (memory.get(body.bankLinkId) !== "raced") return;
        const bankAccounts = body.bankAccounts.map((one: Json) => ({ ...one, id: OTHER_ID }));
        await send({ ...body, bankAccounts });
      }),
    }),
  bug("blk/one-poller", "BLK-02.exactly-one").is(
    "The polling for a link ends when another link is completed",
    announced((body, { name, work, fire }) => {
      if (name !== COMPLETED) return body;
      const { subaccountId } = work.store.find("bank-links", body.bankLinkId);
      for (const { id, internal } of work.store.children("bank-links", subaccountId)) {
        if (internal.state !== "finished") continue;
        fire();
        work.cancel("poll-link", id);
      }
      return body;
    }),
  ),
  bug("blk/minted-on-c-unannounced", "BLK-05.created-sent").is(
    "A created card of NETWORK_C is not announced",
    event(COMPLETED, ENROLLED).silent((body, { memory }) => {
      for (const { cards = [] } of body.bankAccounts ?? []) {
        for (const { subscriptionId, network } of cards) memory.set(subscriptionId, network);
      }
      return memory.get(body.id) === "network_c";
    }),
  ),
  bug("blk/later-minted-unannounced", "BLK-05.created-sent").is(
    "Only the first completion announces the cards that it creates",
    event(COMPLETED, ENROLLED).silent((body, run) => {
      const isLater = body.bankLinkId && nth(run, "links") > 1;
      for (const { id } of isLater ? body.bankAccounts : []) run.memory.set(id, "later");
      return isBankFeed(body) && run.memory.has(body.bankAccountId);
    }),
  ),
  bug("blk/cardless-unannounced", "BLK-02.exactly-one").is(
    "The completion of a link is not announced if no card is linked",
    completed.silent(({ bankAccounts }) =>
      bankAccounts.every(({ cardIds }: Json) => cardIds.length === 0),
    ),
  ),
];

function announceLink(work: UnitOfWork, bankLinkId: string): void {
  const { accountId } = work.store.find("bank-links", bankLinkId);
  const body = { bankLinkId, bankAccounts: [] };
  work.announce(COMPLETED, { accountId, resource: bankLinkId }, body);
}

const STATE = "bankaccount.state_changed" as const;

const changed = event(STATE);

const [ACTIVE, EXPIRED, LOST] = ["active", "auth_required", "disconnected"] as const;

/** Does not announce a change of a connection if the account has made it before. */
const repeatSilent = (previousState: string, state: string) =>
  changed.silent((body, run) => {
    const isOne = body.previousState === previousState && body.state === state;
    return isOne && nth(run, body.bankAccountId) > 1;
  });

/** Does not announce the connections of some accounts of a link. */
const accountsSilent = (isSilent: (account: Json, index: number) => boolean) =>
  event(COMPLETED, STATE).silent((body, { memory }) => {
    for (const { id } of (body.bankAccounts ?? []).filter(isSilent)) memory.set(id, "silent");
    return memory.has(body.bankAccountId);
  });

function announceExpiry(work: UnitOfWork, bankAccountId: string, previousState: Json) {
  const { accountId } = work.store.find("bank-accounts", bankAccountId);
  const states = { state: "auth_required", previousState } as const;
  const body = { bankAccountId, ...states, reason: "consent_expiring", expiresAt: null };
  work.announce(STATE, { accountId, resource: bankAccountId }, body);
  return { bankAccountId };
}

/** Mutations of the connections of bank accounts. */
export const bac: readonly Mutation[] = [
  bug("bac/state-upper-case", "BAC-01.fields")
    .is("States are serialized as the names of enum constants")
    .by(changed.set(["/state", "/previousState"], (state) => state.toUpperCase())),
  field("bac/old-state", "BAC-01.fields", changed, "/previousState", is.named("oldState")),
  bug("bac/no-change", "BAC-01.differ")
    .is("The health check announces each state, even if it did not change")
    .by(changed.twice((body) => ({ ...body, previousState: body.state }))),
  field("bac/previous-is-new", "BAC-01.differ", changed, "/previousState", is.copyOf("state")),
  bug("bac/no-reason", "BAC-02.reason")
    .is("Nulls are omitted: reason and expiresAt are missing")
    .by(changed, (body) => {
      for (const name of ["reason", "expiresAt"]) if (body[name] === null) delete body[name];
    }),
  field("bac/expires-never", "BAC-02.expires-at", changed, "/expiresAt", is.filled("")),
  bug("bac/reason-code", "BAC-02.reason")
    .is("reason is a numeric error code")
    .by(changed.set("/reason", (reason) => reason && 1042)),
  bug("bac/previous-active", "BAC-03.chain")
    .is("previousState is always the initial state, active")
    .by(changed.when(({ state }) => state !== "active").set("/previousState", "active")),
  bug("bac/previous-other", "BAC-03.chain").is(
    "previousState comes from a stale cache",
    changed.when({ state: "active" }).set("/previousState", (before) => {
      return before === "disconnected" ? "auth_required" : "disconnected";
    }),
  ),
  transition("bac/expiry-unannounced", "BAC-04.expiring", "consent-expire", { sends: [] }),
  transition(
    "bac/recovery-unannounced",
    ["BAC-04.recovered-auth-required", "BAC-04.recovered-disconnected"],
    "recover",
    { sends: [] },
  ),
  transition("bac/expiry-disconnects", "BAC-04.expiring", "consent-expire", { to: "disconnected" }),
  transition("bac/loss-needs-consent", "BAC-04.lost-active", "disconnect", { to: "auth_required" }),
  field("bac/expiry-without-reason", "BAC-02.reason-expiring", changed, "/reason", is.nulled),
  bug("bac/expiry-again-without-reason", "BAC-02.reason-expiring")
    .is("A consent that expires again has no reason")
    .by(changed.when({ state: "auth_required" }), (body, run) => {
      if (nth(run, body.bankAccountId) > 1) body.reason = null;
    }),
  bug("bac/expiry-kept", "BAC-02.expires-at")
    .is("expiresAt of an expired consent stays in the account's row")
    .by(changed, (body, { memory }) => {
      body.expiresAt ??= memory.get(body.bankAccountId) ?? null;
      memory.set(body.bankAccountId, body.expiresAt);
    }),
  bug("bac/previous-of-other-account", "BAC-04.lost-active")
    .is("The state before a change is kept for the provider, not for each account")
    .by(changed, (body, { memory }) => {
      const last = memory.get("last") ?? body.previousState;
      if (last !== body.state) body.previousState = last;
      memory.set("last", body.state);
    }),
  bug("bac/consent-from-disconnected", "BAC-05.auth-required").is(
    "A reconnected account first becomes auth_required",
    changed.handle(async (body, { send }) => {
      if (body.state !== "active" || body.previousState !== "disconnected") return await send();
      await send({ ...body, state: "auth_required" });
      await send({ ...body, previousState: "auth_required" });
    }),
  ),
  bug("bac/previous-fixed", "BAC-03.chain").is(
    "previousState is active for active, and disconnected for all other states",
    changed.set("/previousState", (_, { state }) => {
      return state === "active" ? "active" : "disconnected";
    }),
  ),
  bug("bac/expiry-repeated", "BAC-01.not-without-change").is(
    "The daily reminder of an expired consent is announced as a change",
    verb("consent-expire").refused((work, { bankAccountId }) =>
      announceExpiry(work, bankAccountId, "active"),
    ),
  ),
  bug("bac/expiry-of-disconnected", "BAC-05.auth-required").is(
    "The consent of a disconnected account expires too",
    verb("consent-expire").refused((work, { bankAccountId }) => {
      const { state } = work.store.find("bank-accounts", bankAccountId).internal;
      if (state !== "disconnected") return { bankAccountId };
      return announceExpiry(work, bankAccountId, state);
    }),
  ),
  bug("bac/second-loss-unannounced", "BAC-04.lost-auth-required").is(
    "Only the first loss of a connection is announced",
    changed.silent(({ bankAccountId, state }, run) => {
      return state === "disconnected" && nth(run, bankAccountId) > 1;
    }),
  ),
  bug("bac/whole-provider-lost", "BAC-04.only-that-account").is(
    "A lost connection is announced for all accounts of the provider",
    changed.handle(async (body, { send, ...run }) => {
      await send();
      if (body.state !== "disconnected") return;
      for (const { id } of await resourcesOf(run, "bank-accounts")) {
        if (id !== body.bankAccountId) await send({ ...body, bankAccountId: id });
      }
    }),
  ),
  bug("bac/second-expiry-unannounced", "BAC-04.expiring")
    .is("Only the first expiry of a consent is announced")
    .by(repeatSilent(ACTIVE, EXPIRED)),
  bug("bac/second-loss-of-active-unannounced", "BAC-04.lost-active", "BAC-03.chain")
    .is("Only the first loss of an active connection is announced")
    .by(repeatSilent(ACTIVE, LOST)),
  bug("bac/second-loss-of-expired-unannounced", "BAC-04.lost-auth-required")
    .is("Only the first loss of a connection with an expired consent is announced")
    .by(repeatSilent(EXPIRED, LOST)),
  bug("bac/second-consent-unannounced", "BAC-04.recovered-auth-required")
    .is("Only the first renewal of a consent is announced")
    .by(repeatSilent(EXPIRED, ACTIVE)),
  bug("bac/second-recovery-unannounced", "BAC-04.recovered-disconnected")
    .is("Only the first recovery of a lost connection is announced")
    .by(repeatSilent(LOST, ACTIVE)),
  bug("bac/with-cards-unannounced", "BAC-04.lost-active")
    .is("The connection of an account with cards is announced by its cards only")
    .by(accountsSilent(({ cardIds }) => cardIds.length > 0)),
  bug(
    "bac/second-account-unannounced",
    ...(["BAC-04.expiring", "BAC-04.lost-active", "BAC-04.recovered-disconnected"] as const),
  )
    .is("Only the first account of a link announces its connection")
    .by(accountsSilent((_, index) => index > 0)),
];
