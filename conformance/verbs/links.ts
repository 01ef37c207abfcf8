import { bodyOf, breachAt, type Message } from "../assert.ts";
import type { Breach } from "../check.ts";
import { listAt, textAt } from "../scenarios/find-deliveries.ts";
import {
  type AccountState,
  type CardState,
  type LinkState,
  type Model,
  withCard,
  withLinkedCard,
} from "./model.ts";
import { aText, has, values, where } from "./owed.ts";
import { type Forbidden, meaningFor, type Owed, type Row, type Rows, type Wanted } from "./row.ts";
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

type Connection = "expireConsent" | "disconnect" | "recover";

/** Polling may be due within the hour. */
const HOUR_S = [10, 50, 240, 3_300];

/** Bank links and the connection of their accounts. */
export const linkRows: Rows<"startLink" | "completeLink" | Connection> = {
  startLink: {
    params: ({ accounts }, world) => {
      return {
        accounts: accounts.map(({ type, card }) => {
          return { type, ...(card !== undefined && { last4: world.idsOf(card).last4 }) };
        }),
      };
    },
    when: ({ cards, links }, { as, accounts }) => {
      const isKnown = accounts.every(({ card }) => !card || isLinkable(cards[card]));
      return as in links || !isKnown ? undefined : "applies";
    },
    apply: (model, { as, accounts }) => withLink(model, as, { accounts, isComplete: false }),
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
    params: ({ link, by }, world) => ({ bankLinkId: world.idsOf(link).bankLinkId, by }),
    when: ({ cards, links }, { link }) =>
      meaningFor(links[link], ({ isComplete, accounts }) => {
        if (isComplete) return "repeats";
        // Which of the changed cards the completion links is open.
        const isKnown = accounts.every(({ card }) => !card || isLinkable(cards[card]));
        return isKnown ? "applies" : undefined;
      }),
    // Without `advance`, it is open when polling completes a link.
    isKnown: ({ canAdvance }, { by }) => by !== "polling" || canAdvance,
    apply: (model, { link: name }) => {
      const link = model.links[name] as LinkState;
      return link.accounts.reduce(
        withNewAccount,
        withLink(model, name, { ...link, isComplete: true }),
      );
    },
    bind: (world, { link }, result) => {
      const ids = listAt(result, "bankAccountIds").map(String);
      const accounts = world.model.links[link]?.accounts ?? [];
      accounts.forEach(({ as }, at) => {
        const bankAccountId = ids[at];
        if (bankAccountId !== undefined) world.bind(as, { bankAccountId });
      });
    },
    owes: (world, { link }) => {
      const { bankLinkId } = world.idsOf(link);
      const { accounts } = world.model.links[link] ?? { accounts: [] };
      const matched = accounts.flatMap(({ as, card }) =>
        card === undefined ? [] : [{ as, card }],
      );
      const completion: Owed = {
        claims: ["BLK-02.exactly-one"],
        event: "banklink.completed",
        what: `banklink.completed of ${bankLinkId}`,
        is: has("/bankLinkId", bankLinkId),
        wants: matched.map(({ as, card }) => ({
          claim: "BLK-04.already-enrolled",
          breaches: (event) => cardIsListed(event, world, as, card),
        })),
        once: "BLK-02.exactly-one",
      };
      return [completion, ...matched.map(({ as, card }) => linkedLater(world, card, as))];
    },
    quiet: (world, { link }) => {
      const { bankLinkId } = world.idsOf(link);
      const event = "banklink.completed";
      const what = `second ${event} of ${bankLinkId}, whichever way is second`;
      return [{ claim: "BLK-02.two-ways", event, what, is: has("/bankLinkId", bankLinkId) }];
    },
    situations: (_, { by }) => [`by-${by}`],
    waits: ({ by }) => (by === "polling" ? HOUR_S : []),
    *variants({ links }, limits) {
      for (const link of Object.keys(links)) {
        yield { verb: "completeLink", link, by: "notification" };
        if (limits.varied || !links[link]?.isComplete) {
          yield { verb: "completeLink", link, by: "polling" };
        }
      }
    },
    simpler: (step) => (step.by === "polling" ? { ...step, by: "notification" } : undefined),
  },

  // Only an active account's consent expires: that of a disconnected one changes nothing.
  expireConsent: {
    ...connection("expireConsent", "auth_required"),
    when: ({ accounts }, { account }) =>
      meaningFor(accounts[account], ({ state }) => (state === "active" ? "applies" : "repeats")),
    owes: (world, { account }) => {
      const reason = aText("BAC-04.expiring", "/reason", "a reason, such as consent_expiring");
      const owed = moved(world, account, 1, "BAC-04.expiring", "auth_required");
      const wants = [reason, { ...reason, claim: "BAC-02.reason-expiring" } as const];
      return [{ ...owed, wants: [...(owed.wants ?? []), ...wants] }];
    },
  },

  disconnect: {
    ...connection("disconnect", "disconnected"),
    when: ({ accounts }, { account }) =>
      meaningFor(accounts[account], ({ state }) =>
        state === "disconnected" ? "repeats" : "applies",
      ),
    owes: (world, { account }) => {
      const from = world.model.accounts[account]?.state;
      const claim = from === "active" ? "BAC-04.lost-active" : "BAC-04.lost-auth-required";
      return [moved(world, account, 2, claim, "disconnected")];
    },
  },

  recover: {
    ...connection("recover", "active"),
    when: ({ accounts }, { account }) =>
      meaningFor(accounts[account], ({ state }) => (state === "active" ? "repeats" : "applies")),
    owes: (world, { account }) => {
      const from = world.model.accounts[account]?.state;
      const claim =
        from === "disconnected"
          ? "BAC-04.recovered-disconnected"
          : "BAC-04.recovered-auth-required";
      return [moved(world, account, 3, claim, "active")];
    },
  },
};

/** Whether a completion must link a card by its last 4 digits (BLK-04). */
function isLinkable(card: CardState | undefined): boolean {
  return card?.state === "active" && !card.account && card.enrollmentType === "cardholder-single";
}

function withLink(model: Model, name: Name, link: LinkState): Model {
  return { ...model, links: { ...model.links, [name]: link } };
}

function withNewAccount(model: Model, { as, type, card }: ScriptAccount): Model {
  const accounts = { ...model.accounts, [as]: { state: "active", cards: [] } } as const;
  const after: Model = { ...model, accounts };
  if (card !== undefined) return withLinkedCard(after, card, as);
  if (type !== "credit") return after;
  const minted = cardOfAccount(as);
  const created = withCard(after, minted, { enrollmentType: "bank-feed", state: "active" });
  return withLinkedCard(created, minted, as);
}

function cardIsListed(event: Message, world: World, account: Name, card: Name): Breach[] {
  const { cardId, last4 } = world.idsOf(card);
  const bankAccountId = world.ids.get(account)?.bankAccountId;
  const accounts = listAt(bodyOf(event), "bankAccounts");
  const at = accounts.findIndex((one) =>
    bankAccountId === undefined
      ? textAt(one, "/mask") === last4
      : textAt(one, "/id") === bankAccountId,
  );
  if (listAt(accounts[at], "cardIds").includes(cardId)) return [];
  const path = at < 0 ? "/bankAccounts" : `/bankAccounts/${at}/cardIds`;
  return [breachAt(event, path, `card ${cardId}, which has its last 4 digits`)];
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
      const created = creation(id, "BLK-05.created-sent", { row: 2, type: "bank-feed" });
      return {
        ...created,
        claims: ["BLK-05.created-sent", "SUB-04.feed-created", "SUB-10.only-signal"],
        in: ["bank-feed"],
        wants: [
          values("SUB-04.feed-starts", { "/enrollmentType": "bank-feed", "/state": "active" }),
          values("BLK-05.names-account", { "/cardId": textAt(card, "/id"), ...bank }),
          values("SUB-03.own-account", bank),
        ],
      };
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

const AFTER = {
  expireConsent: "expired",
  disconnect: "disconnected",
  recover: "recovered",
} as const;

const TWICE = {
  expireConsent: "expire-twice",
  disconnect: "disconnect-twice",
  recover: "recover-twice",
} as const;

type CommonPart = "params" | "apply" | "forbids" | "quiet" | "situations" | "variants";

/** What the verbs of a connection have in common. */
function connection<V extends Connection>(
  verb: V,
  state: AccountState["state"],
): Pick<Row<V>, CommonPart> {
  return {
    params: ({ account }: StepOf<Connection>, world) =>
      ({ bankAccountId: world.idsOf(account).bankAccountId }) as never,
    apply: (model, { account }: StepOf<Connection>) => {
      const after = { ...(model.accounts[account] as AccountState), state };
      return { ...model, accounts: { ...model.accounts, [account]: after } };
    },
    // Accounts of one link may share their consent.
    forbids: (world, { account }: StepOf<Connection>) =>
      accountsOfOtherLinks(world, account).map((bankAccountId) => ({
        claim: "BAC-04.only-that-account",
        event: "bankaccount.state_changed",
        what: `bankaccount.state_changed of ${bankAccountId}, which is of another link`,
        is: has("/bankAccountId", bankAccountId),
      })),
    quiet: (world, { account }: StepOf<Connection>) => {
      const { bankAccountId } = world.idsOf(account);
      const isSame = world.model.accounts[account]?.state === state;
      return [
        {
          claim: isSame ? "BAC-01.not-without-change" : "BAC-05.auth-required",
          event: "bankaccount.state_changed",
          what: `bankaccount.state_changed of ${bankAccountId}, which stays as it is`,
          is: has("/bankAccountId", bankAccountId),
        },
      ];
    },
    situations: ({ model }, { account }: StepOf<Connection>) => {
      const before = model.accounts[account]?.state;
      if (before === state) return [TWICE[verb]];
      return before === "disconnected" && verb === "expireConsent"
        ? ["expire-disconnected"]
        : [AFTER[verb]];
    },
    *variants({ accounts }) {
      for (const account of Object.keys(accounts)) yield { verb, account } as StepOf<V>;
    },
  };
}

/** A row of the table of connections. An event is sent only if the state changes. */
function moved(
  world: World,
  account: Name,
  row: number,
  claim: Owed["claims"][0],
  state: AccountState["state"],
): Owed {
  const { bankAccountId } = world.idsOf(account);
  const previousState = world.model.accounts[account]?.state ?? "active";
  const chain = world.latest.has(bankAccountId) ? "BAC-03.chain" : "BAC-03.first-active";
  return {
    claims: [claim],
    event: "bankaccount.state_changed",
    what: `bankaccount.state_changed of ${bankAccountId} to ${state}`,
    is: has("/bankAccountId", bankAccountId),
    wants: [
      values(chain, { "/previousState": previousState }),
      values(claim, { "/state": state, "/previousState": previousState }),
      where("BAC-01.differ", "/state", "another state than before", (body) => {
        return textAt(body, "/state") !== textAt(body, "/previousState");
      }),
      ...entered(state),
      ...expiryEnds(world, bankAccountId, state),
    ],
    once: "BAC-01.differ",
    row: { table: "bank account connection", row, case: previousState },
  };
}

/** BAC-05: from where a state is entered; `disconnected` from any. */
function entered(state: AccountState["state"]): Wanted[] {
  if (state === "disconnected") return [];
  const isExpiry = state === "auth_required";
  const claim = isExpiry ? "BAC-05.auth-required" : "BAC-05.active";
  const expected = isExpiry ? "active" : "a state that is not active";
  return [
    where(claim, "/previousState", expected, (body) => {
      return (textAt(body, "/previousState") === "active") === isExpiry;
    }),
  ];
}

/** The interface does not say when an expiry still applies: a repeated one is a warning. */
function expiryEnds(world: World, bankAccountId: string, state: AccountState["state"]): Wanted[] {
  const isOwn = has("/bankAccountId", bankAccountId);
  const expiries = new Set(
    world.deliveries.flatMap(({ json }) => (isOwn(json) ? (textAt(json, "/expiresAt") ?? []) : [])),
  );
  if (state === "auth_required" || expiries.size === 0) return [];
  const wanted = where("BAC-02.expires-at", "/expiresAt", "null, or another time", (body) => {
    return !expiries.has(textAt(body, "/expiresAt") ?? "");
  });
  const asWarning = (breach: Breach) => ({ ...breach, isWarning: true as const });
  return [{ ...wanted, breaches: (message) => wanted.breaches(message).map(asWarning) }];
}

function accountsOfOtherLinks({ model, ids }: World, account: Name): string[] {
  const others = Object.values(model.links).filter(({ accounts }) => {
    return accounts.every(({ as }) => as !== account);
  });
  return others.flatMap(({ accounts }) =>
    accounts.flatMap(({ as }) => ids.get(as)?.bankAccountId ?? []),
  );
}
