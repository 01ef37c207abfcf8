import type { Message } from "../assert.ts";
import { bodyOf, breachAt } from "../assert.ts";
import type { Breach } from "../check.ts";
import { listAt, textAt } from "../scenarios/find-deliveries.ts";
import type { CardState } from "./model.ts";
import { has, type Owed, values } from "./owed-event.ts";
import type { Name, StepOf } from "./step.ts";
import type { World } from "./world.ts";

/** BLK-02, BLK-04, BLK-05; subscription, rows 2 and 6. */
export function owedByCompletion(world: World, step: StepOf<"completeLink">): Owed[] {
  const { bankLinkId } = world.idsOf(step.link);
  const { accounts } = world.model.links[step.link] ?? { accounts: [] };
  const matched = accounts.flatMap(({ as, card }) => (card === undefined ? [] : [{ as, card }]));
  return [
    {
      requirement: "BLK-02",
      event: "banklink.completed",
      what: `banklink.completed of ${bankLinkId}`,
      is: has("/bankLinkId", bankLinkId),
      wants: matched.map(({ as, card }) => {
        return { requirement: "BLK-04", breaches: (event) => cardIsListed(event, world, as, card) };
      }),
      once: "BLK-02",
    },
    ...matched.map(({ as, card }) => linkedByDigits(world, as, card)),
  ];
}

/**
 * BLK-05: every card that a completion lists as created has a cardsubscription.created. Which
 * accounts get such a card is open.
 *
 * @param completion The delivery of banklink.completed.
 */
export function owedByCreatedCards(completion: unknown): Owed[] {
  return listAt(completion, "bankAccounts").flatMap((account) =>
    listAt(account, "cards").map((card): Owed => {
      const id = textAt(card, "/subscriptionId") ?? "";
      const start = { "/enrollmentType": "bank-feed", "/state": "active" };
      return {
        requirement: "BLK-05",
        event: "cardsubscription.created",
        what: `cardsubscription.created of ${id}, which the completion created`,
        is: has("/id", id),
        wants: [
          values("SUB-04", start),
          values("BLK-05", { "/cardId": textAt(card, "/id") }),
          values("SUB-03", { "/bankAccountId": textAt(account, "/id") }),
        ],
        row: { table: "card subscription", row: 2, case: "bank-feed" },
      };
    }),
  );
}

/** SUB-07: a completion links an enrolled card that an account's last 4 digits name. */
function linkedByDigits(world: World, account: Name, name: Name): Owed {
  const card = world.model.cards[name] as CardState;
  const { subscriptionId: id } = world.idsOf(name);
  // A completion by polling names its accounts only in the event.
  const bankAccountId = world.ids.get(account)?.bankAccountId;
  return {
    requirement: "SUB-07",
    event: "cardsubscription.updated",
    what: `cardsubscription.updated of ${id}, which the completion linked`,
    is: has("/id", id),
    wants: [
      values("SUB-07", {
        ...{ "/state": card.state, "/enrollmentType": card.enrollmentType },
        ...(bankAccountId !== undefined && { "/bankAccountId": bankAccountId }),
      }),
    ],
    row: { table: "card subscription", row: 6, case: card.state },
  };
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
