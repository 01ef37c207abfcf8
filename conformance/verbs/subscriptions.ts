import type { ClaimId, Situation } from "../../generated/requirements.ts";
import { distinctEvents, textAt } from "../observe/deliveries/find.ts";
import { isBefore } from "../observe/deliveries/order.ts";
import { type Delivery, isDelivery } from "../wire/exchange.ts";
import { type CardState, changeOne, type Model, withLinkedCard, withOne } from "./model.ts";
import { about, has, only, values, where } from "./owed.ts";
import {
  type Meaning,
  meaningFor,
  type Owed,
  onOne,
  type Row,
  type Rows,
  type Wanted,
} from "./row.ts";
import { type Name, nextName, type StepOf } from "./step.ts";
import type { World } from "./world.ts";

type ChangeOfCard = "clearSca" | "deactivate" | "upgrade";

const table = "card subscription" as const;
const SINGLE = { state: "reqSCA", enrollmentType: "cardholder-single" } as const;

/** A repeated verb moves nothing, and sends no update. */
const UNMOVED: Pick<Row<ChangeOfCard | "linkCard">, "quiet" | "keeps"> = {
  quiet: (world, { card }) => {
    const { subscriptionId: id } = world.idsOf(card);
    const isSame = has("/state", world.model.cards[card]?.state ?? "");
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
  },
  keeps: ({ model }, { card }) => [
    values("SUB-05.no-other-move", { "/state": model.cards[card]?.state }),
  ],
};

/** The state table of card subscriptions, and their events. */
export const subscriptionRows: Rows<"enroll" | ChangeOfCard | "linkCard"> = {
  enroll: {
    params: ({ network }, world) =>
      network === undefined ? undefined : { network: world.networks[network] },
    when: ({ cards }, { as }) => (as in cards ? undefined : "applies"),
    apply: (model, { as }) => withOne(model, "cards", as, SINGLE),
    owes: (world, { as }) => {
      const { subscriptionId, cardId } = world.idsOf(as);
      const start = { "/enrollmentType": "cardholder-single", "/state": "reqSCA" };
      return [
        creation(subscriptionId, "SUB-04.single-created", "cardholder-single", [
          values("SUB-04.single-starts", start),
          values("SUB-04.single-created", { "/cardId": cardId }),
        ]),
      ];
    },
    situations: () => ["cardholder-single"],
    *variants({ cards }, limits) {
      const as = nextName(cards, "card", limits.cards);
      if (as !== undefined) yield { verb: "enroll", as };
    },
  },

  clearSca: {
    ...changeOfCard("clearSca", { state: "active" }, ({ state, enrollmentType }) => {
      if (state === "reqSCA") return "applies";
      return enrollmentType === "cardholder-single" ? "repeats" : undefined;
    }),
    owes: (world, { card }) => [entered(world, card, "SUB-05.cleared", 3, "active")],
    situations: ({ model }, { card }) => (model.cards[card]?.wasUpgraded ? ["after-sca"] : []),
  },

  deactivate: {
    ...changeOfCard("deactivate", { state: "deactivated" }, ({ state }) =>
      state === "active" ? "applies" : state === "deactivated" ? "repeats" : undefined,
    ),
    owes: (world, { card }) => [entered(world, card, "SUB-05.deactivated", 4, "deactivated")],
  },

  // In place: the same id and account, another type, and no second cardsubscription.created.
  upgrade: {
    ...changeOfCard("upgrade", { ...SINGLE, wasUpgraded: true }, (card) => {
      const { state, enrollmentType, wasUpgraded } = card;
      if (enrollmentType === "bank-feed" && state === "active") return "applies";
      return wasUpgraded ? "repeats" : undefined;
    }),
    owes: (world, { card }) => [
      change(world, card, ["SUB-06.updated", "SUB-09.every-change"], 5, [
        values("SUB-06.state", { "/state": SINGLE.state }),
        values("SUB-06.type", { "/enrollmentType": SINGLE.enrollmentType }),
        values("SUB-06.same-id", { "/cardId": world.idsOf(card).cardId }),
        values("SUB-06.same-account", bankOf(world, world.model.cards[card]?.account)),
      ]),
    ],
    forbids: (world, { card }) => {
      const { cardId } = world.idsOf(card);
      const undue = about("cardsubscription.created", "/cardId", cardId, ", the upgraded card");
      return [{ claim: "SUB-06.no-created", ...undue }];
    },
    situations: ({ model }, { card }) => {
      const { account = "" } = model.cards[card] ?? {};
      return model.accounts[account]?.state === "auth_required" ? ["expired"] : [];
    },
  },

  // "any" state: the card side stays as it is.
  linkCard: {
    ...UNMOVED,
    when: ({ cards, accounts }, { card, account }) =>
      meaningFor(cards[card], ({ account: own }) => {
        if (own === account) return "repeats";
        return own === undefined && accounts[account]?.state === "active" ? "applies" : undefined;
      }),
    apply: (model, { card, account }) => withLinkedCard(model, card, account),
    owes: (world, { card, account }) => [linkedLater(world, card, account)],
    forbids: (world, { card }) => {
      const { subscriptionId } = world.idsOf(card);
      const more = ", whose card was linked";
      const undue = about("cardsubscription.created", "/id", subscriptionId, more);
      return [{ claim: "SUB-07.updated", ...undue }];
    },
    situations: () => ["linked-later"],
    *variants({ cards, accounts }) {
      for (const card of Object.keys(cards)) {
        for (const account of Object.keys(accounts)) yield { verb: "linkCard", card, account };
      }
    },
  },
};

/** What the verbs that change only a subscription have in common. */
function changeOfCard(
  verb: ChangeOfCard,
  change: Partial<CardState>,
  meaning: (card: CardState) => Meaning,
) {
  return {
    ...onOne(verb, "card", meaning),
    ...UNMOVED,
    params: ({ card }: StepOf<ChangeOfCard>, world: World) => {
      return { subscriptionId: world.idsOf(card).subscriptionId };
    },
    apply: (model: Model, { card }: StepOf<ChangeOfCard>) => {
      return changeOne(model, "cards", card, change);
    },
  };
}

/** The creation of a subscription: rows 1 and 2. */
export function creation(
  id: string,
  claim: ClaimId,
  type: CardState["enrollmentType"],
  wants: readonly Wanted[],
): Owed {
  const row = { table, row: type === "cardholder-single" ? 1 : 2, case: type } as const;
  const event = about("cardsubscription.created", "/id", id);
  return { claims: [claim, "SUB-09.one-created"], ...event, wants, once: claim, row };
}

/** Rows 3 and 4. */
function entered(
  world: World,
  card: Name,
  claim: ClaimId,
  row: number,
  state: CardState["state"],
): Owed {
  const wants = [values(claim, { "/state": state }), ...kept(world, card)];
  return change(world, card, ["SUB-09.every-change", claim], row, wants);
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
  const known = world.latest.get(id)?.json;
  const [createdAt, from] = [textAt(known, "/createdAt"), textAt(known, "/updatedAt")];
  const isForward = (body: unknown) => (textAt(body, "/updatedAt") ?? from ?? "") >= (from ?? "");
  const stays = isUpgrade
    ? (["SUB-09.timestamps", "SUB-06.same-id"] as const)
    : (["SUB-09.timestamps"] as const);
  const byCreation: Wanted[] = [
    {
      claim: "SUB-09.one-created",
      isAboutDelivery: true,
      breaches: () => {
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
        const first = world.deliveries.find(isCreation);
        if (!first || !isDelivery(update) || !isBefore(update, first)) return [];
        const expected = "cardsubscription.created before any cardsubscription.updated";
        return [{ expected, actual: "the opposite order", evidence: [first, update] }];
      },
    },
  ];
  return [
    // The step that owes a creation reports that it is missing.
    ...byCreation.map((one) => only(one, () => world.deliveries.some(isCreation))),
    ...(createdAt ? stays.map((claim) => values(claim, { "/createdAt": createdAt })) : []),
    ...(from ? [where("SUB-09.timestamps", "/updatedAt", `${from} or later`, isForward)] : []),
  ];
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
    values("SUB-05.no-other-move", { "/state": state }),
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
