import type { Situation } from "../../generated/requirements.ts";
import type { Session } from "../check.ts";
import { textAt } from "../observe/deliveries/find.ts";
import { listAt } from "../observe/feed.ts";
import { Skip } from "../skip.ts";
import { type Delivery, isSuccess } from "../wire/exchange.ts";
import { accountsOf } from "./completions.ts";
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
import { type Forbidden, type Owed, onOne, type Rows } from "./row.ts";
import {
  cardOfAccount,
  type Name,
  nextName,
  ownNames,
  type ScriptAccount,
  type StepOf,
} from "./step.ts";
import { linkedLater } from "./subscriptions.ts";
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
