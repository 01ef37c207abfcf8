import type { ClaimId, Situation } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { bodyOf, breachAt, differences, type Message } from "../assert.ts";
import type { Breach, Session } from "../check.ts";
import { findEvents, textAt } from "../observe/deliveries/find.ts";
import { listAt } from "../observe/feed.ts";
import { Skip } from "../skip.ts";
import { type Delivery, isSuccess } from "../wire/exchange.ts";
import { HOUR_S, patchLink } from "./drive.ts";
import { deliveriesOf } from "./judge.ts";
import {
  type CardState,
  changeOne,
  type LinkState,
  type Model,
  withLinkedCard,
  withOne,
} from "./model.ts";
import { about, has, laterBy, values } from "./owed.ts";
import { type Forbidden, type Owed, onOne, type Rows, type Wanted } from "./row.ts";
import {
  cardOf,
  type Ids,
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
      const as = nextName(links, "link", limits.links);
      if (as === undefined) return;
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
      if (!isLater) return undefined;
      const { event, is } = completionOf(world, link);
      return laterBy({ event, is: (body) => is(body) && !isComplete(world, link) });
    },
    owes: (world, { link, by }) => {
      const { accounts } = world.model.links[link] as LinkState;
      const isPolled = world.pending.some(({ step }) => "link" in step && step.link === link);
      const isTwice = by === "two patches" || isPolled;
      const completion: Owed = {
        claims: ["BLK-02.exactly-one", ...(isTwice ? (["BLK-02.two-ways"] as const) : [])],
        ...completionOf(world, link),
        wants: [
          values("BLK-01.fields", { "/bankLinkId": world.idsOf(link).bankLinkId }),
          ...accountsOf(world, accounts),
        ],
        once: isTwice ? "BLK-02.two-ways" : "BLK-02.exactly-one",
      };
      const linked = accounts.flatMap(({ as, card, isOpen }) =>
        card === undefined || isOpen ? [] : linkedLater(world, card, as),
      );
      // Without `advance`, it is open when polling completes a link.
      const unless = () => {
        const isOpen = by === "polling" && !world.canAdvance;
        if (!isOpen || deliveriesOf(completion, world.deliveries).length > 0) return undefined;
        return "polling did not complete the link while the run waited";
      };
      return [completion, ...linked].map((one) => ({ ...one, unless }));
    },
    // Its creation was announced before, without the account.
    forbids: (world, { link }) => [
      ...completionsForbidden(world),
      ...(world.model.links[link]?.accounts ?? []).flatMap(({ card, isOpen }): Forbidden[] => {
        const cardId = card && world.ids.get(card)?.cardId;
        if (cardId === undefined || isOpen) return [];
        const undue = about("cardsubscription.created", "/cardId", cardId, ", enrolled before");
        return [{ claim: "BLK-05.not-for-existing", ...undue }];
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
  const [minted, state] = [cardOf(as), { enrollmentType: "bank-feed", state: "active" }];
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

function completionOf(world: World, link: Name, more = "") {
  return about("banklink.completed", "/bankLinkId", world.idsOf(link).bankLinkId, more);
}

function completedAgain(world: World, link: Name): Forbidden {
  const undue = completionOf(world, link, " a second time, whichever way is second");
  return { claim: "BLK-02.two-ways", ...undue };
}

/** No complete link may be completed again as time goes on. */
export function completionsForbidden(world: World): Forbidden[] {
  const links = Object.keys(world.model.links).filter((link) => isComplete(world, link));
  return links.map((link) => completedAgain(world, link));
}

/** An account that a completion lists. */
interface Listed {
  readonly body: unknown;
  readonly account: ScriptAccount;
  /** The listed cards, and the ids of the linked ones. */
  readonly cards: readonly unknown[];
  readonly cardIds: readonly unknown[];
  /** The cards that were created for it, by their events. */
  readonly created: readonly Delivery[];
  /** The enrolled card whose digits it shows, if any. */
  readonly enrolled: Ids | undefined;
  /** A breach at a place in the account. */
  readonly breach: (place: string, expected: string, by?: Delivery) => Breach;
  readonly differs: (place: string, wanted: unknown) => readonly Breach[];
}

/** What a completion must say about its accounts. */
function accountsOf(world: World, accounts: readonly ScriptAccount[]): Wanted[] {
  const each = (
    claim: ClaimId,
    find: (listed: Listed, all: readonly Listed[]) => readonly Breach[] | undefined,
    ...own: readonly Situation[]
  ): Wanted => ({
    claim,
    in: own,
    breaches: (event) => {
      const listed = listedIn(event, world, accounts);
      const decided = listed.flatMap((one) => {
        const breaches = find(one, listed);
        return breaches ? [breaches] : [];
      });
      return decided.length > 0 ? decided.flat() : undefined;
    },
  });
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
    each("BLK-01.type", ({ body, account: { type }, breach }) => {
      if ((memberOf(body, "type") === "credit") === (type === "credit")) return [];
      const other = "the type of an account that is not credit";
      return [breach("/type", type === "credit" ? type : other)];
    }),
    each(
      "BLK-01.mask",
      ({ enrolled, differs }) => enrolled && differs("/mask", enrolled.last4),
      "credit",
    ),
    each("BLK-03.created-cards", ({ cards, created, enrolled, account: { isOpen }, breach }) => {
      if (created.length === 0 && cards.length === 0) return undefined;
      const hasCard = (id?: string, cardId?: string) =>
        cards.some((one) => textAt(one, "/subscriptionId") === id && textAt(one, "/id") === cardId);
      const { cardId: known } = enrolled ?? {};
      const old = cards.findIndex((one) => known !== undefined && textAt(one, "/id") === known);
      const expected = "a card that the completion created, not one enrolled before";
      return [
        ...created.flatMap((one) => {
          const [id, cardId] = [textAt(one.json, "/id"), textAt(one.json, "/cardId")];
          const what = `the card ${cardId} of subscription ${id}`;
          return hasCard(id, cardId) ? [] : [breach("/cards", what, one)];
        }),
        ...(old < 0 || isOpen ? [] : [breach(`/cards/${old}/id`, expected)]),
      ];
    }),
    ...(["BLK-03.in-card-ids", "BLK-04.created"] as const).map((claim) =>
      each(claim, ({ cardIds, created, breach }) => {
        if (created.length === 0) return undefined;
        return created.flatMap((one) => {
          const cardId = textAt(one.json, "/cardId");
          return cardIds.includes(cardId)
            ? []
            : [breach("/cardIds", `the created card ${cardId}`, one)];
        });
      }),
    ),
    each("BLK-03.fields", ({ body, cards, differs }) => {
      if (cards.length === 0) return undefined;
      return cards.flatMap((_, at) => [
        ...differs(`/cards/${at}/last4digits`, memberOf(body, "mask")),
        ...differs(`/cards/${at}/enrollmentType`, "bank-feed"),
      ]);
    }),
    each(
      "BLK-03.absent",
      ({ account: { type }, differs }) =>
        type === "depository" ? differs("/cards", undefined) : undefined,
      "depository",
    ),
    each(
      "BLK-03.absent",
      ({ cardIds, created, enrolled, differs }) =>
        enrolled && cardIds.includes(enrolled.cardId) && created.length === 0
          ? differs("/cards", undefined)
          : undefined,
      "already-enrolled",
    ),
    // A card that has an account already is linked, too; one in another state may be (readings).
    each("BLK-04.already-enrolled", ({ cardIds, enrolled, account, breach }) => {
      const { card = "", isOpen } = account;
      const isOwed = !isOpen || world.model.cards[card]?.account !== undefined;
      if (!enrolled || !isOwed) return undefined;
      const what = `the enrolled card ${enrolled.cardId}, whose last 4 digits it shows`;
      return cardIds.includes(enrolled.cardId) ? [] : [breach("/cardIds", what)];
    }),
    // Cards of others may have the same digits by chance.
    each("BLK-04.no-others", ({ body, cardIds, account, breach }, all) => {
      const known = Object.keys(world.model.cards)
        .filter((name) => name !== account.card)
        .map((name): Ids => world.idsOf(name))
        .filter(({ last4 }) => last4 !== undefined && last4 !== memberOf(body, "mask"));
      const created = all
        .filter((one) => one.account !== account)
        .flatMap((one) => one.created.map(({ json }) => textAt(json, "/cardId")));
      return [...known.map(({ cardId }) => cardId), ...created]
        .filter((cardId) => cardIds.includes(cardId))
        .map((cardId) => breach("/cardIds", `no card with other digits, such as ${cardId}`));
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
    const body = own[at];
    const path = `/bankAccounts/${at}`;
    const values = { "/bankAccountId": bankAccountId, "/enrollmentType": "bank-feed" };
    return [
      {
        ...{ body, account, cards: listAt(body, "cards"), cardIds: listAt(body, "cardIds") },
        created: findEvents(world.deliveries, "cardsubscription.created", values),
        enrolled: account.card === undefined ? undefined : world.idsOf(account.card),
        breach: (place, expected, by) =>
          breachAt(event, `${path}${place}`, expected, ...(by ? [by] : [])),
        differs: (place, wanted) => differences(event, { [`${path}${place}`]: wanted }),
      },
    ];
  });
}

/** The cards that a completion lists as created. Which accounts get such a card is open. */
function createdCards(completion: unknown) {
  return listAt(completion, "bankAccounts").flatMap((account) =>
    listAt(account, "cards").map((card) => ({
      ...{ id: textAt(card, "/subscriptionId") ?? "", cardId: textAt(card, "/id") },
      bankAccountId: textAt(account, "/id"),
    })),
  );
}

/**
 * Every card that a completion lists as created has a cardsubscription.created (BLK-05).
 *
 * @param completion The body of banklink.completed.
 */
export function owedByCreatedCards(completion: unknown): Owed[] {
  return createdCards(completion).map(({ id, cardId, bankAccountId }): Owed => {
    const bank = { "/bankAccountId": bankAccountId };
    const created = creation(id, "BLK-05.created-sent", "bank-feed", [
      values("SUB-04.feed-starts", { "/enrollmentType": "bank-feed", "/state": "active" }),
      values("BLK-05.names-account", { "/cardId": cardId, ...bank }),
      values("SUB-03.own-account", bank),
    ]);
    const also = ["SUB-04.feed-created", "SUB-10.only-signal"] as const;
    return { ...created, claims: [...created.claims, ...also], in: ["bank-feed"] };
  });
}

/** A bank-derived card has no other signal of its enrollment: no update beside its creation. */
export function forbiddenByCreatedCards(completion: unknown): Forbidden[] {
  return createdCards(completion).map(({ id, bankAccountId = "" }): Forbidden => {
    const undue = about("cardsubscription.updated", "/id", id, " beside the one created");
    const isSame = has("/bankAccountId", bankAccountId);
    const is = (body: unknown) => undue.is(body) && has("/state", "active")(body) && isSame(body);
    return { claim: "SUB-10.only-signal", ...undue, is };
  });
}
