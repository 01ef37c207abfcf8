import { memberOf } from "../../src/contract/pointer.ts";
import { listAt, textAt } from "../scenarios/find-deliveries.ts";
import { cardOfAccount, cardOfFeed, type Name, type Step } from "./step.ts";
import type { Ids, World } from "./world.ts";

/** The parameters of a step's verb, with ids in place of names. */
export function paramsOf(world: World, step: Step): object | undefined {
  const of = (name: Name) => world.idsOf(name);
  switch (step.verb) {
    case "enroll":
      return undefined;
    case "clearSca":
    case "deactivate":
    case "upgrade":
      return { subscriptionId: of(step.card).subscriptionId };
    case "linkCard":
      return {
        cardId: of(step.card).cardId,
        bankAccountId: of(step.account).bankAccountId,
      };
    case "submitFeed": {
      const { expectedCardCount } = step;
      return { ...(expectedCardCount !== undefined && { expectedCardCount }) };
    }
    case "acceptFeed":
    case "rejectFeed":
      return { feedId: of(step.feed).feedId };
    case "startLink":
      return {
        accounts: step.accounts.map(({ type, card }) => {
          return { type, ...(card !== undefined && { last4: of(card).last4 }) };
        }),
      };
    case "completeLink":
      return { bankLinkId: of(step.link).bankLinkId, by: step.by };
    case "expireConsent":
    case "disconnect":
    case "recover":
      return { bankAccountId: of(step.account).bankAccountId };
    case "authorize": {
      const { amount, merchant } = step;
      return { cardId: of(step.card).cardId, amount, merchant };
    }
    case "clear": {
      const { amount } = step;
      const { transactionId } = of(step.purchase);
      return { transactionId, ...(amount !== undefined && { amount }) };
    }
    case "postAtBank": {
      const { amount, merchant, purchase } = step;
      const { bankAccountId } = of(step.account);
      const own = purchase === undefined ? {} : { transactionId: of(purchase).transactionId };
      return { bankAccountId, amount, merchant, ...own };
    }
    case "tellLate": {
      const { amount, merchant } = step;
      const { bankTransactionId } = of(step.posting);
      return { cardId: of(step.card).cardId, bankTransactionId, amount, merchant };
    }
    case "removeAtProvider":
    case "retireDuplicate":
      return { bankTransactionId: of(step.posting).bankTransactionId };
    case "rematch":
      return { transactionId: of(step.purchase).transactionId };
    case "advance":
      return { seconds: step.seconds };
  }
}

/** Binds the names that a step gives to the ids of its result. */
export function bindResult(world: World, step: Step, result: unknown): void {
  if (step.verb === "completeLink") {
    const ids = memberOf(result, "bankAccountIds") as readonly string[];
    const accounts = world.model.links[step.link]?.accounts ?? [];
    accounts.forEach(({ as }, at) => {
      const bankAccountId = ids[at];
      if (bankAccountId !== undefined) world.bind(as, { bankAccountId });
    });
  } else if (step.verb === "acceptFeed") {
    const [subscriptionId] = memberOf(result, "subscriptionIds") as readonly string[];
    if (subscriptionId !== undefined) {
      world.bind(cardOfFeed(step.feed), { subscriptionId });
    }
  } else if ("as" in step) world.bind(step.as, idsIn(result));
}

const ID_FIELDS = [
  ...(["subscriptionId", "cardId", "last4", "feedId", "bankLinkId"] as const),
  ...(["transactionId", "messageId", "bankTransactionId"] as const),
];

/** The ids in a verb's result, which may have more fields. */
function idsIn(result: unknown): Ids {
  const fields = ID_FIELDS.map((name) => [name, memberOf(result, name)] as const);
  return Object.fromEntries(fields.filter(([, value]) => typeof value === "string"));
}

/**
 * Binds the accounts of a link whose completion was detected later: the verb returned none. The
 * order of the accounts in the event is open, so type and digits identify them.
 */
export function bindAccounts(world: World, link: Name): void {
  const { bankLinkId } = world.idsOf(link);
  const event = world.deliveries.find(
    ({ name, json }) => name === "banklink.completed" && textAt(json, "/bankLinkId") === bankLinkId,
  );
  const shown = new Set(listAt(event?.json, "bankAccounts"));
  for (const { as, type, card } of world.model.links[link]?.accounts ?? []) {
    if (world.ids.has(as)) continue;
    const last4 = card && world.idsOf(card).last4;
    const own = [...shown].find(
      (one) =>
        textAt(one, "/type") === type && (last4 === undefined || textAt(one, "/mask") === last4),
    );
    const bankAccountId = textAt(own, "/id");
    if (bankAccountId === undefined) continue;
    shown.delete(own);
    world.bind(as, { bankAccountId });
  }
}

/** Binds the cards that a completion or a feed created, which only events name. */
export function bindCreatedCards(world: World): void {
  for (const { name, json } of world.deliveries) {
    if (name !== "cardsubscription.created") continue;
    const [subscriptionId, cardId] = [textAt(json, "/id"), textAt(json, "/cardId")];
    if (subscriptionId === undefined || cardId === undefined) continue;
    const known = world.nameOf("subscriptionId", subscriptionId);
    const account = world.nameOf("bankAccountId", textAt(json, "/bankAccountId"));
    const minted = account && cardOfAccount(account);
    const isBankFeed = textAt(json, "/enrollmentType") === "bank-feed";
    if (known !== undefined) world.bind(known, { cardId });
    else if (minted && isBankFeed && !world.ids.has(minted)) {
      world.bind(minted, { subscriptionId, cardId });
    }
  }
}

/** Whether all names that a step uses are bound. */
export function isBound(world: World, names: readonly Name[]): boolean {
  return names.every((name) => world.ids.has(name));
}
