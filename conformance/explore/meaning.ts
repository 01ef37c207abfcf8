import {
  type CardState,
  CONNECTION_OF,
  cents,
  type Model,
  type MoneyStep,
  type PostingState,
} from "./model.ts";
import type { Name, Step, StepOf } from "./step.ts";

/**
 * What a step means in a state:
 * - `applies`: a row of a table, or the creation of a resource;
 * - `repeats`: it asks for a state that is reached already, so nothing may change;
 * - undefined: the interface does not say, or a resource is missing. Scripts leave it out.
 */
export type Meaning = "applies" | "repeats" | undefined;

/** The meaning of a step in a state. */
export function meaningOf(model: Model, step: Step): Meaning {
  switch (step.verb) {
    case "enroll":
      return step.as in model.cards ? undefined : "applies";
    case "clearSca":
      return meaning(model.cards[step.card], ({ state, enrollmentType }) => {
        if (state === "reqSCA") return "applies";
        return enrollmentType === "cardholder-single" ? "repeats" : undefined;
      });
    case "deactivate":
      return meaning(model.cards[step.card], ({ state }) =>
        state === "active" ? "applies" : state === "deactivated" ? "repeats" : undefined,
      );
    case "upgrade":
      return meaning(model.cards[step.card], ({ state, enrollmentType, wasUpgraded }) => {
        if (enrollmentType === "bank-feed" && state === "active") return "applies";
        return wasUpgraded ? "repeats" : undefined;
      });
    case "linkCard": {
      const isConnected = model.accounts[step.account]?.state === "active";
      return meaning(model.cards[step.card], ({ account }) => {
        if (account === step.account) return "repeats";
        return account === undefined && isConnected ? "applies" : undefined;
      });
    }
    case "submitFeed":
      return step.as in model.feeds ? undefined : "applies";
    case "acceptFeed":
    case "rejectFeed":
      return meaning(model.feeds[step.feed], ({ state }) => {
        if (state === "submitted") return "applies";
        return (state === "active") === (step.verb === "acceptFeed") ? "repeats" : undefined;
      });
    case "startLink": {
      const isKnown = step.accounts.every(({ card }) => !card || isLinkable(model.cards[card]));
      return step.as in model.links || !isKnown ? undefined : "applies";
    }
    case "completeLink":
      return meaning(model.links[step.link], ({ isComplete, accounts }) => {
        if (isComplete) return "repeats";
        // Which of the changed cards the completion links is open.
        const isKnown = accounts.every(({ card }) => !card || isLinkable(model.cards[card]));
        return isKnown ? "applies" : undefined;
      });
    case "expireConsent":
    case "disconnect":
    case "recover":
      return connectionMeaning(model, step);
    case "advance":
      return "applies";
    default:
      return moneyMeaning(model, step);
  }
}

function connectionMeaning(
  model: Model,
  { verb, account }: StepOf<"expireConsent" | "disconnect" | "recover">,
): Meaning {
  return meaning(model.accounts[account], ({ state }) => {
    if (state === CONNECTION_OF[verb]) return "repeats";
    // Only an active account's consent expires.
    return verb === "expireConsent" && state !== "active" ? undefined : "applies";
  });
}

function moneyMeaning(model: Model, step: MoneyStep): Meaning {
  switch (step.verb) {
    case "authorize":
      return isUsable(model.cards[step.card]) && !(step.as in model.purchases)
        ? "applies"
        : undefined;
    case "clear":
      return meaning(model.purchases[step.purchase], ({ amount, cleared, isAmountOpen }) => {
        const isPart = step.amount !== undefined;
        const isLeft = cleared + (step.amount ?? 0.01) <= amount;
        return isLeft && !(isPart && isAmountOpen) ? "applies" : undefined;
      });
    case "postAtBank": {
      if (model.accounts[step.account]?.state !== "active" || step.as in model.postings) return;
      if (step.purchase === undefined) return "applies";
      return meaning(model.purchases[step.purchase], ({ card, amount, posted }) => {
        const isOwn = model.cards[card]?.account === step.account;
        return isOwn && cents(posted + step.amount) <= cents(amount) ? "applies" : undefined;
      });
    }
    case "tellLate": {
      const card = model.cards[step.card];
      return meaning(model.postings[step.posting], ({ account, purchase, removedBy }) => {
        const isFree = purchase === undefined && removedBy === undefined;
        const isOwn = card?.account === account && isUsable(card);
        return isFree && isOwn && !(step.as in model.purchases) ? "applies" : undefined;
      });
    }
    case "removeAtProvider":
      return meaning(model.postings[step.posting], ({ removedBy }) =>
        removedBy === undefined ? "applies" : removedBy === step.verb ? "repeats" : undefined,
      );
    case "retireDuplicate":
      return meaning(model.postings[step.posting], (posting) => {
        if (posting.removedBy === step.verb) return "repeats";
        return twinOf(model, step.posting) === undefined ? undefined : "applies";
      });
    case "rematch":
      return meaning(model.purchases[step.purchase], ({ postings }) => {
        const isPosted = postings.some((name) => !model.postings[name]?.removedBy);
        return isPosted ? "applies" : undefined;
      });
  }
}

function meaning<T>(state: T | undefined, of: (state: T) => Meaning): Meaning {
  return state === undefined ? undefined : of(state);
}

/** Whether a completion must link a card by its last 4 digits (BLK-04). */
function isLinkable(card: CardState | undefined): boolean {
  return card?.state === "active" && !card.account && card.enrollmentType === "cardholder-single";
}

/** Whether the network can authorize purchases of a card. */
function isUsable(card: CardState | undefined): card is CardState {
  return card?.state === "active" && card.enrollmentType !== "bank-feed";
}

/** Another posting of its day that is equal and not removed; only such a pair has a duplicate. */
function twinOf({ postings }: Model, name: Name): Name | undefined {
  const own = postings[name];
  if (!own || own.removedBy) return undefined;
  const contentOf = ({ account, amount, merchant, day }: PostingState) =>
    JSON.stringify([account, amount, merchant, day]);
  return Object.keys(postings).find((other) => {
    const posting = postings[other] as PostingState;
    return other !== name && contentOf(posting) === contentOf(own) && !posting.removedBy;
  });
}
