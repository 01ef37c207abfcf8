import type { ClaimId, Situation } from "../../generated/requirements.ts";
import { distinctEvents, textAt } from "../observe/deliveries/find.ts";
import { isBefore } from "../observe/deliveries/order.ts";
import { type Delivery, isDelivery } from "../wire/exchange.ts";
import { type CardState, changeCard, type Model, withCard, withLinkedCard } from "./model.ts";
import { about, has, values, where } from "./owed.ts";
import { type Forbidden, meaningFor, type Owed, type Row, type Rows, type Wanted } from "./row.ts";
import { type Name, nextName, ownNames, type StepOf } from "./step.ts";
import type { World } from "./world.ts";

type ChangeOfCard = "clearSca" | "deactivate" | "upgrade";

const table = "card subscription" as const;
const SINGLE = { state: "reqSCA", enrollmentType: "cardholder-single" } as const;

/** The state table of card subscriptions, and their events. */
export const subscriptionRows: Rows<"enroll" | ChangeOfCard | "linkCard"> = {
  enroll: {
    params: ({ network }, world) =>
      network === undefined ? undefined : { network: world.networks[network] },
    when: ({ cards }, { as }) => (as in cards ? undefined : "applies"),
    apply: (model, { as }) => withCard(model, as, SINGLE),
    owes: (world, { as }) => {
      const { subscriptionId, cardId } = world.idsOf(as);
      const start = { "/enrollmentType": "cardholder-single", "/state": "reqSCA" };
      return [
        {
          ...creation(subscriptionId, "SUB-04.single-created", {
            row: 1,
            type: "cardholder-single",
          }),
          wants: [
            values("SUB-04.single-starts", start),
            values("SUB-04.single-created", { "/cardId": cardId }),
          ],
        },
      ];
    },
    situations: () => ["cardholder-single"],
    *variants({ cards }, limits) {
      const enrolled = ownNames(cards, "card");
      if (enrolled.length < limits.cards) yield { verb: "enroll", as: nextName(enrolled, "card") };
    },
  },

  clearSca: {
    ...changeOfCard("clearSca", { state: "active" }),
    when: ({ cards }, { card }) =>
      meaningFor(cards[card], ({ state, enrollmentType }) => {
        if (state === "reqSCA") return "applies";
        return enrollmentType === "cardholder-single" ? "repeats" : undefined;
      }),
    owes: (world, { card }) => [
      change(world, card, ["SUB-09.every-change", "SUB-05.cleared"], 3, [
        values("SUB-05.cleared", { "/state": "active" }),
        ...kept(world, card),
      ]),
    ],
    situations: ({ model }, { card }) => (model.cards[card]?.wasUpgraded ? ["after-sca"] : []),
  },

  deactivate: {
    ...changeOfCard("deactivate", { state: "deactivated" }),
    when: ({ cards }, { card }) =>
      meaningFor(cards[card], ({ state }) =>
        state === "active" ? "applies" : state === "deactivated" ? "repeats" : undefined,
      ),
    owes: (world, { card }) => [
      change(world, card, ["SUB-09.every-change", "SUB-05.deactivated"], 4, [
        values("SUB-05.deactivated", { "/state": "deactivated" }),
        ...kept(world, card),
      ]),
    ],
  },

  // In place: the same id and account, another type, and no second cardsubscription.created.
  upgrade: {
    ...changeOfCard("upgrade", { ...SINGLE, wasUpgraded: true }),
    when: ({ cards }, { card }) =>
      meaningFor(cards[card], ({ state, enrollmentType, wasUpgraded }) => {
        if (enrollmentType === "bank-feed" && state === "active") return "applies";
        return wasUpgraded ? "repeats" : undefined;
      }),
    owes: (world, { card }) => {
      const { cardId } = world.idsOf(card);
      return [
        change(world, card, ["SUB-06.updated", "SUB-09.every-change"], 5, [
          values("SUB-06.state", { "/state": SINGLE.state }),
          values("SUB-06.type", { "/enrollmentType": SINGLE.enrollmentType }),
          values("SUB-06.same-id", { "/cardId": cardId }),
          values("SUB-06.same-account", bankOf(world, world.model.cards[card]?.account)),
        ]),
      ];
    },
    forbids: (world, { card }) => {
      const { cardId } = world.idsOf(card);
      return [
        {
          claim: "SUB-06.no-created",
          event: "cardsubscription.created",
          what: `second cardsubscription.created of the upgraded card ${cardId}`,
          is: has("/cardId", cardId),
        },
      ];
    },
    situations: ({ model }, { card }) => {
      const { account = "" } = model.cards[card] ?? {};
      return model.accounts[account]?.state === "auth_required" ? ["expired"] : [];
    },
  },

  // "any" state: the card side stays as it is.
  linkCard: {
    params: ({ card, account }, world) => {
      return {
        cardId: world.idsOf(card).cardId,
        bankAccountId: world.idsOf(account).bankAccountId,
      };
    },
    when: ({ cards, accounts }, { card, account }) =>
      meaningFor(cards[card], ({ account: own }) => {
        if (own === account) return "repeats";
        return own === undefined && accounts[account]?.state === "active" ? "applies" : undefined;
      }),
    apply: (model, { card, account }) => withLinkedCard(model, card, account),
    owes: (world, { card, account }) => [linkedLater(world, card, account)],
    forbids: (world, { card }) => {
      const { subscriptionId } = world.idsOf(card);
      return [
        {
          claim: "SUB-07.updated",
          event: "cardsubscription.created",
          what: `second cardsubscription.created of ${subscriptionId}, whose card was linked`,
          is: has("/id", subscriptionId),
        },
      ];
    },
    quiet: (world, { card }) => unchanged(world, card),
    keeps: ({ model }, { card }) => sameState(model, card),
    situations: () => ["linked-later"],
    *variants({ cards, accounts }) {
      for (const card of Object.keys(cards)) {
        for (const account of Object.keys(accounts)) yield { verb: "linkCard", card, account };
      }
    },
  },
};

type CommonPart = "params" | "apply" | "quiet" | "keeps" | "variants";

/** What the verbs that change one subscription have in common. */
function changeOfCard<V extends ChangeOfCard>(
  verb: V,
  state: Partial<CardState>,
): Pick<Row<V>, CommonPart> {
  return {
    params: ({ card }: StepOf<ChangeOfCard>, world) =>
      ({ subscriptionId: world.idsOf(card).subscriptionId }) as never,
    apply: (model, { card }: StepOf<ChangeOfCard>) => changeCard(model, card, state),
    quiet: (world, { card }: StepOf<ChangeOfCard>) => unchanged(world, card),
    keeps: ({ model }, { card }: StepOf<ChangeOfCard>) => sameState(model, card),
    *variants({ cards }) {
      for (const card of Object.keys(cards)) yield { verb, card } as StepOf<V>;
    },
  };
}

/** The creation of a subscription: rows 1 and 2. */
export function creation(
  id: string,
  claim: ClaimId,
  { row, type }: { readonly row: number; readonly type: CardState["enrollmentType"] },
): Owed {
  return {
    claims: [claim],
    ...about("cardsubscription.created", "/id", id),
    once: claim,
    row: { table, row, case: type },
  };
}

/** A change of a subscription: rows 3 to 6. */
function change(
  world: World,
  card: Name,
  claims: Owed["claims"],
  row: number,
  wants: readonly Wanted[],
): Owed {
  const { subscriptionId: id } = world.idsOf(card);
  const { state = "" } = world.model.cards[card] ?? {};
  return {
    claims,
    ...about("cardsubscription.updated", "/id", id),
    wants: [...wants, ...history(world, id, row === 5)],
    in: kindOf(world.model, card),
    row: { table, row, case: state },
  };
}

/** What each update has in common with the events before it: SUB-09. */
function history(world: World, id: string, isUpgrade: boolean): Wanted[] {
  const isCreation = ({ name, json }: Delivery) =>
    name === "cardsubscription.created" && textAt(json, "/id") === id;
  const known = world.latest.get(id);
  const createdAt = textAt(known?.json, "/createdAt");
  const from = textAt(known?.json, "/updatedAt");
  // SUB-04 and BLK-05 report a missing creation.
  const isAnnounced = () => world.deliveries.some(isCreation);
  return [
    {
      claim: "SUB-09.one-created",
      isAboutDelivery: true,
      breaches: () => {
        if (!isAnnounced()) return undefined;
        const all = distinctEvents(world.deliveries.filter(isCreation), world.sample);
        const [first, ...others] = all.toReversed();
        if (!first || others.length === 0) return [];
        const expected = `cardsubscription.created of ${id} once`;
        const actual = `${all.length} were delivered`;
        return [{ expected, actual, evidence: [first, ...others] }];
      },
    },
    {
      claim: "SUB-09.created-first",
      isAboutDelivery: true,
      breaches: (update) => {
        if (!isAnnounced()) return undefined;
        const first = world.deliveries.find(isCreation);
        if (!first || !isDelivery(update) || !isBefore(update, first)) return [];
        const expected = "cardsubscription.created before any cardsubscription.updated";
        return [{ expected, actual: "the opposite order", evidence: [first, update] }];
      },
    },
    ...(createdAt === undefined
      ? []
      : [
          values("SUB-09.timestamps", { "/createdAt": createdAt }),
          ...(isUpgrade ? [values("SUB-06.same-id", { "/createdAt": createdAt })] : []),
        ]),
    ...(from === undefined
      ? []
      : [
          where("SUB-09.timestamps", "/updatedAt", `${from} or later`, (body) => {
            return (textAt(body, "/updatedAt") ?? from) >= from;
          }),
        ]),
  ];
}

/** A repeated verb moves nothing, and sends no update. */
function unchanged(world: World, card: Name): Forbidden[] {
  const { subscriptionId: id } = world.idsOf(card);
  const { state = "" } = world.model.cards[card] ?? {};
  const isSame = has("/state", state);
  const event = "cardsubscription.updated";
  return [
    {
      ...{ claim: "SUB-05.no-other-move", event, what: `${event} of ${id} to another state` },
      is: (body) => has("/id", id)(body) && !isSame(body),
    },
    {
      ...{ claim: "SUB-09.no-empty-update", event, what: `${event} of ${id} without a change` },
      is: (body) => has("/id", id)(body) && isSame(body),
    },
  ];
}

function sameState({ cards }: Model, card: Name): Wanted[] {
  return [values("SUB-05.no-other-move", { "/state": cards[card]?.state })];
}

/** Row 6: a card gains a bank account, by a verb or by the completion of a link. */
export function linkedLater(world: World, card: Name, account: Name): Owed {
  const { state, enrollmentType } = world.model.cards[card] as CardState;
  const bank = bankOf(world, account);
  return change(world, card, ["SUB-07.updated", "SUB-09.every-change"], 6, [
    // A completion by polling names its accounts only in its event.
    ...(bank["/bankAccountId"] === undefined
      ? []
      : [values("SUB-07.gains-account", bank), values("SUB-03.own-account", bank)]),
    values("SUB-07.state-kept", { "/state": state }),
    values("SUB-07.type-kept", { "/enrollmentType": enrollmentType }),
  ]);
}

/** What a change leaves alone: the type and the bank account that the card has got before. */
function kept(world: World, name: Name): Wanted[] {
  const card = world.model.cards[name] as CardState;
  const type = { "/enrollmentType": card.enrollmentType };
  const bank = bankOf(world, card.account);
  if (card.wasUpgraded) return [values("SUB-06.type", type), values("SUB-06.same-account", bank)];
  return [values("SUB-07.type-kept", type), values("SUB-07.gains-account", bank)];
}

/** The values of a subscription whose card is linked to an account, or to none. */
function bankOf(world: World, account: Name | undefined) {
  const bankAccountId = account === undefined ? undefined : world.ids.get(account)?.bankAccountId;
  const link = bankAccountId && `/bank-accounts/${bankAccountId}`;
  return { "/bankAccountId": bankAccountId, "/_links/bankAccount/href": link };
}

const STATES = { reqSCA: "in-reqsca", active: "active", deactivated: "deactivated" } as const;

/** What a card's subscription is. */
function kindOf({ cards }: Model, name: Name): Situation[] {
  const card = cards[name];
  if (!card) return [];
  return [
    STATES[card.state],
    ...(card.wasUpgraded ? (["upgraded"] as const) : [card.enrollmentType]),
  ];
}
