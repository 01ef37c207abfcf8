import type { ClaimId, Situation } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { bodyOf, breachAt, differences, type Message } from "../assert.ts";
import type { Breach, Session } from "../check.ts";
import { findEvents, textAt } from "../observe/deliveries/find.ts";
import { listAt } from "../observe/feed.ts";
import { Skip } from "../skip.ts";
import { type Delivery, isSuccess } from "../wire/exchange.ts";
import { HOUR_S, patchLink } from "./drive.ts";
import {
  type CardState,
  changeOne,
  type LinkState,
  type Model,
  withLinkedCard,
  withOne,
} from "./model.ts";
import { about, has, values } from "./owed.ts";
import { type Forbidden, type Owed, onOne, type Rows, type Wanted } from "./row.ts";
import {
  cardOfAccount,
  type Name,
  nextName,
  ownNames,
  type ScriptAccount,
  type StepOf,
} from "./step.ts";
import { creation, linkedLater } from "./subscriptions.ts";
import type { World } from "./world.ts";

const TWO_WAYS: readonly Situation[] = [
  ...(["patch-then-notification", "notification-then-patch", "notification-then-polling"] as const),
];

/** Bank links, and what their completion creates. */
export const linkRows: Rows<"startLink" | "completeLink"> = {
  startLink: {
    params: ({ accounts }, world) => {
      return {
        accounts: accounts.map(({ type, card, network }) => ({
          type,
          ...(card !== undefined && { last4: world.idsOf(card).last4 }),
          ...(network !== undefined && { network: world.networks[network] }),
        })),
      };
    },
    when: ({ cards, links }, { as, accounts }) => {
      return as in links || !accounts.every(isKnown(cards)) ? undefined : "applies";
    },
    apply: (model, { as, accounts }) => withOne(model, "links", as, { accounts }),
    owes: () => [],
    *variants({ cards, links }, limits) {
      const started = Object.keys(links);
      if (started.length >= limits.links) return;
      const as = nextName(started, "link");
      const count = Object.values(links).flatMap((link) => link.accounts).length;
      const shown = (...all: readonly Omit<ScriptAccount, "as">[]): StepOf<"startLink"> => {
        const named = all.map((account, at) => ({ as: `account ${count + at + 1}`, ...account }));
        return { verb: "startLink", as, accounts: named };
      };
      yield shown({ type: "credit" }, { type: "depository" });
      for (const card of ownNames(cards, "card")) yield shown({ type: "credit", card });
    },
  },

  // A completed link has active accounts, linked cards and new bank-feed cards.
  completeLink: {
    params: ({ link, by }, world) => {
      const way = by === "polling" ? by : "notification";
      return { bankLinkId: world.idsOf(link).bankLinkId, by: way };
    },
    act: (session, world, { link, by }) => {
      const { bankLinkId } = world.idsOf(link);
      if (by === "patch") return patch(session, [bankLinkId]);
      return by === "two patches" ? patch(session, [bankLinkId, bankLinkId]) : undefined;
    },
    ...onOne("completeLink", "link", ({ completedBy, accounts }, _, { cards }) => {
      if (completedBy) return "repeats";
      // Which of the changed cards the completion links is open.
      return accounts.every(isKnown(cards)) ? "applies" : undefined;
    }),
    apply: (model, { link, by }) => {
      const after = changeOne(model, "links", link, { completedBy: by });
      return (model.links[link]?.accounts ?? []).reduce(withNewAccount, after);
    },
    bind: (world, { link }, result) => {
      const ids = listAt(result, "bankAccountIds").map(String);
      const accounts = world.model.links[link]?.accounts ?? [];
      accounts.forEach(({ as }, at) => {
        const bankAccountId = ids[at];
        if (bankAccountId !== undefined) world.bind(as, { bankAccountId });
      });
    },
    later: (world, { link, isLater }) => {
      const isOwn = completionOf(world, link);
      if (!isLater) return undefined;
      return {
        shownBy: (one) => (isOwn(one) && !isComplete(world, link) ? {} : undefined),
        in: [],
      };
    },
    owes: (world, { link, by }) => {
      const { bankLinkId } = world.idsOf(link);
      const { accounts } = world.model.links[link] as LinkState;
      const matched = accounts.flatMap(({ as, card, isOpen }) =>
        card === undefined || isOpen ? [] : [{ as, card }],
      );
      const isPolled = world.pending.some(({ step }) => "link" in step && step.link === link);
      const isTwice = by === "two patches" || isPolled;
      const completion: Owed = {
        claims: ["BLK-02.exactly-one", ...(isTwice ? (["BLK-02.two-ways"] as const) : [])],
        ...about("banklink.completed", "/bankLinkId", bankLinkId),
        wants: [
          values("BLK-01.fields", { "/bankLinkId": bankLinkId }),
          ...accountsOf(world, accounts),
        ],
        once: isTwice ? "BLK-02.two-ways" : "BLK-02.exactly-one",
        // Without `advance`, it is open when polling completes a link.
        unless: () => {
          const isOpen = by === "polling" && !world.canAdvance;
          if (!isOpen || world.deliveries.some(completionOf(world, link))) return undefined;
          return "polling did not complete the link while the run waited";
        },
      };
      const { unless } = completion;
      const linked = matched.map(({ as, card }) => linkedLater(world, card, as));
      return [completion, ...linked.map((one) => ({ ...one, ...(unless && { unless }) }))];
    },
    // Its creation was announced before, without the account.
    forbids: (world, { link }) => [
      ...completionsForbidden(world),
      ...(world.model.links[link]?.accounts ?? []).flatMap(({ card, isOpen }): Forbidden[] => {
        const cardId = card && world.ids.get(card)?.cardId;
        if (cardId === undefined || isOpen) return [];
        const event = "cardsubscription.created";
        const what = `${event} of the enrolled card ${cardId}`;
        return [{ claim: "BLK-05.not-for-existing", event, what, is: has("/cardId", cardId) }];
      }),
    ],
    quiet: (world, { link }) => [completedAgain(world, link)],
    situations: ({ model }, { link, by }) => {
      const { completedBy } = model.links[link] ?? {};
      if (completedBy) return TWO_WAYS.filter((one) => one === `${completedBy}-then-${by}`);
      return by === "two patches" ? ["by-patch", "patched-at-once"] : [`by-${by}`];
    },
    waits: ({ by, isLater }) => (by === "polling" && !isLater ? HOUR_S : []),
    *variants({ links }, limits) {
      for (const link of Object.keys(links)) {
        yield { verb: "completeLink", link, by: "notification" };
        if (limits.varied || !links[link]?.completedBy) {
          yield { verb: "completeLink", link, by: "polling" };
        }
      }
    },
    simpler: (step) => (step.by === "polling" ? { ...step, by: "notification" } : undefined),
  },
};

/** Whether it is known, or left open on purpose, what a completion does to an account's card. */
function isKnown(cards: Model["cards"]): (account: ScriptAccount) => boolean {
  return ({ card, isOpen }) => !card || (isOpen ? card in cards : isLinkable(cards[card]));
}

/** Whether a completion must link a card by its last 4 digits (BLK-04). */
function isLinkable(card: CardState | undefined): boolean {
  return card?.state === "active" && !card.account && card.enrollmentType === "cardholder-single";
}

function withNewAccount(model: Model, { as, type, card, isOpen }: ScriptAccount): Model {
  const after = withOne(model, "accounts", as, { state: "active", cards: [] });
  if (isOpen) return after;
  if (card !== undefined) return withLinkedCard(after, card, as);
  if (type !== "credit") return after;
  const [minted, state] = [cardOfAccount(as), { enrollmentType: "bank-feed", state: "active" }];
  return withLinkedCard(withOne(after, "cards", minted, state as CardState), minted, as);
}

/**
 * Sends PATCH requests at once.
 *
 * @throws {Skip} if each is refused
 */
async function patch(session: Session, ids: readonly string[]): Promise<object> {
  const sent = await Promise.all(ids.map((id) => patchLink(session, id)));
  if (sent.some(isSuccess)) return {};
  throw new Skip(`PATCH of a bank link returned ${sent[0]?.response?.status ?? 0}`);
}

function isComplete({ model }: World, link: Name): boolean {
  return model.links[link]?.completedBy !== undefined;
}

function completionOf(world: World, link: Name): (delivery: Delivery) => boolean {
  const { bankLinkId } = world.idsOf(link);
  return ({ name, json }) =>
    name === "banklink.completed" && textAt(json, "/bankLinkId") === bankLinkId;
}

function completedAgain(world: World, link: Name): Forbidden {
  const { bankLinkId } = world.idsOf(link);
  const event = "banklink.completed";
  const what = `second ${event} of ${bankLinkId}, whichever way is second`;
  return { claim: "BLK-02.two-ways", event, what, is: has("/bankLinkId", bankLinkId) };
}

/** No complete link may be completed again as time goes on. */
export function completionsForbidden(world: World): Forbidden[] {
  const links = Object.keys(world.model.links).filter((link) => isComplete(world, link));
  return links.map((link) => completedAgain(world, link));
}

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
