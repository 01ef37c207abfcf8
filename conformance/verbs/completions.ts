import type { ClaimId, Situation } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { bodyOf, breachAt, differences, type Message } from "../assert.ts";
import type { Breach } from "../check.ts";
import { findEvents, textAt } from "../observe/deliveries/find.ts";
import { listAt } from "../observe/feed.ts";
import type { Delivery } from "../wire/exchange.ts";
import { has, values } from "./owed.ts";
import type { Forbidden, Owed, Wanted } from "./row.ts";
import type { ScriptAccount } from "./step.ts";
import { creation } from "./subscriptions.ts";
import type { World } from "./world.ts";

/** An account that a completion lists, and its place in the event. */
interface Listed {
  readonly event: Message;
  readonly path: string;
  readonly body: unknown;
  readonly account: ScriptAccount;
  /** The cards that were created for it, by their events. */
  readonly created: readonly Delivery[];
}

/** What a completion must say about its accounts. */
export function accountsOf(world: World, accounts: readonly ScriptAccount[]): Wanted[] {
  const each = (
    claim: ClaimId,
    find: (listed: Listed) => readonly Breach[] | undefined,
    ...own: readonly Situation[]
  ): Wanted => ({
    claim,
    in: own,
    breaches: (event) => {
      const found = listedIn(event, world, accounts).map(find);
      const decided = found.filter((one) => one !== undefined);
      return decided.length > 0 ? decided.flat() : undefined;
    },
  });
  const cards = Object.keys(world.model.cards);
  return [
    {
      claim: "BLK-01.every-account",
      breaches: (event) => {
        const listed = new Set(listedIn(event, world, accounts).map(({ account }) => account));
        return accounts
          .filter((account) => world.ids.has(account.as) && !listed.has(account))
          .map(({ as }) => `bank account ${world.idsOf(as).bankAccountId}`)
          .map((expected) => breachAt(event, "/bankAccounts", expected));
      },
    },
    each("BLK-01.type", ({ event, path, body, account: { type } }) => {
      if ((memberOf(body, "type") === "credit") === (type === "credit")) return [];
      const other = "the type of an account that is not credit";
      return [breachAt(event, `${path}/type`, type === "credit" ? type : other)];
    }),
    each(
      "BLK-01.mask",
      ({ event, path, account: { card } }) =>
        card === undefined
          ? undefined
          : differences(event, { [`${path}/mask`]: world.idsOf(card).last4 }),
      "credit",
    ),
    each("BLK-03.created-cards", ({ event, path, body, created, account: { card, isOpen } }) => {
      const shown = listAt(body, "cards");
      const known = isOpen ? undefined : card && world.idsOf(card).cardId;
      const expected = "a card that the completion created, not one enrolled before";
      const old = shown.findIndex((one) => known !== undefined && textAt(one, "/id") === known);
      if (created.length === 0 && shown.length === 0) return undefined;
      return [
        ...created.flatMap((one) => {
          const [id, cardId] = [textAt(one.json, "/id"), textAt(one.json, "/cardId")];
          const isListed = shown.some(
            (each) => textAt(each, "/subscriptionId") === id && textAt(each, "/id") === cardId,
          );
          const what = `the card ${cardId} of subscription ${id}`;
          return isListed ? [] : [breachAt(event, `${path}/cards`, what, one)];
        }),
        ...(old < 0 ? [] : [breachAt(event, `${path}/cards/${old}/id`, expected)]),
      ];
    }),
    ...(["BLK-03.in-card-ids", "BLK-04.created"] as const).map((claim) =>
      each(claim, ({ event, path, body, created }) => {
        if (created.length === 0) return undefined;
        return created.flatMap((one) => {
          const cardId = textAt(one.json, "/cardId");
          const isLinked = listAt(body, "cardIds").includes(cardId);
          const what = `the created card ${cardId}`;
          return isLinked ? [] : [breachAt(event, `${path}/cardIds`, what, one)];
        });
      }),
    ),
    each("BLK-03.fields", ({ event, path, body }) => {
      const shown = listAt(body, "cards");
      if (shown.length === 0) return undefined;
      const fields = { last4digits: memberOf(body, "mask"), enrollmentType: "bank-feed" };
      return shown.flatMap((_, at) =>
        Object.entries(fields).flatMap(([name, value]) =>
          differences(event, { [`${path}/cards/${at}/${name}`]: value }),
        ),
      );
    }),
    each(
      "BLK-03.absent",
      ({ event, path, account: { type } }) =>
        type === "depository" ? differences(event, { [`${path}/cards`]: undefined }) : undefined,
      "depository",
    ),
    each(
      "BLK-03.absent",
      ({ event, path, body, created, account: { card } }) => {
        const isLinked = card && listAt(body, "cardIds").includes(world.idsOf(card).cardId);
        if (!isLinked || created.length > 0) return undefined;
        return differences(event, { [`${path}/cards`]: undefined });
      },
      "already-enrolled",
    ),
    // A card that has an account already is linked, too; one in another state may be (readings).
    each("BLK-04.already-enrolled", ({ event, path, body, account: { card, isOpen } }) => {
      const isOwed = !isOpen || world.model.cards[card ?? ""]?.account !== undefined;
      if (card === undefined || !isOwed) return undefined;
      const { cardId } = world.idsOf(card);
      if (listAt(body, "cardIds").includes(cardId)) return [];
      const what = `the enrolled card ${cardId}, whose last 4 digits it shows`;
      return [breachAt(event, `${path}/cardIds`, what)];
    }),
    // Cards of others may have the same digits by chance.
    each("BLK-04.no-others", ({ event, path, body, account }) => {
      const digits = memberOf(body, "mask");
      const known = cards
        .filter((name) => name !== account.card && world.idsOf(name).last4 !== digits)
        .filter((name) => world.idsOf(name).last4 !== undefined)
        .map((name) => world.idsOf(name).cardId);
      const others = listedIn(event, world, accounts).filter((one) => one.account !== account);
      const created = others
        .flatMap((one) => one.created)
        .map(({ json }) => textAt(json, "/cardId"));
      return [...known, ...created].flatMap((cardId) => {
        if (!listAt(body, "cardIds").includes(cardId)) return [];
        return [breachAt(event, `${path}/cardIds`, `no card with other digits, such as ${cardId}`)];
      });
    }),
  ];
}

/** The accounts of a script that a completion lists. */
function listedIn(event: Message, world: World, accounts: readonly ScriptAccount[]): Listed[] {
  const own = listAt(bodyOf(event), "bankAccounts");
  return accounts.flatMap((account): Listed[] => {
    const bankAccountId = world.ids.get(account.as)?.bankAccountId;
    const at = own.findIndex((one) => textAt(one, "/id") === bankAccountId);
    if (bankAccountId === undefined || at < 0) return [];
    const values = { "/bankAccountId": bankAccountId, "/enrollmentType": "bank-feed" };
    const created = findEvents(world.deliveries, "cardsubscription.created", values);
    return [{ event, path: `/bankAccounts/${at}`, body: own[at], account, created }];
  });
}

/**
 * Every card that a completion lists as created has a cardsubscription.created (BLK-05). Which
 * accounts get such a card is open.
 *
 * @param completion The body of banklink.completed.
 */
export function owedByCreatedCards(completion: unknown): Owed[] {
  return listAt(completion, "bankAccounts").flatMap((account) =>
    listAt(account, "cards").map((card): Owed => {
      const id = textAt(card, "/subscriptionId") ?? "";
      const bank = { "/bankAccountId": textAt(account, "/id") };
      const created = creation(id, "BLK-05.created-sent", "bank-feed", [
        values("SUB-04.feed-starts", { "/enrollmentType": "bank-feed", "/state": "active" }),
        values("BLK-05.names-account", { "/cardId": textAt(card, "/id"), ...bank }),
        values("SUB-03.own-account", bank),
      ]);
      const also = ["SUB-04.feed-created", "SUB-10.only-signal"] as const;
      return { ...created, claims: [...created.claims, ...also], in: ["bank-feed"] };
    }),
  );
}

/** A bank-derived card has no other signal of its enrollment: no update beside its creation. */
export function forbiddenByCreatedCards(completion: unknown): Forbidden[] {
  return listAt(completion, "bankAccounts").flatMap((account) =>
    listAt(account, "cards").map((card): Forbidden => {
      const id = textAt(card, "/subscriptionId") ?? "";
      const isSame = has("/bankAccountId", textAt(account, "/id") ?? "");
      return {
        claim: "SUB-10.only-signal",
        event: "cardsubscription.updated",
        what: `cardsubscription.updated of ${id} beside the one created`,
        is: (body) => has("/id", id)(body) && has("/state", "active")(body) && isSame(body),
      };
    }),
  );
}
