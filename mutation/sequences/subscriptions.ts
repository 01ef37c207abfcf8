import type { Json } from "../rewrite.ts";
import {
  acceptAgain,
  changeLater,
  DROP,
  type Past,
  type SequenceFault,
  unlink,
  updateSubscription,
} from "./past.ts";

const CREATED = "cardsubscription.created" as const;
const UPDATED = "cardsubscription.updated" as const;
const KIND = "card-subscriptions" as const;

/** Bugs in the life of a card subscription. */
export const subscriptionFaults: readonly SequenceFault[] = [
  {
    id: "seq/end-of-linked-unannounced",
    requirement: "SUB-09",
    description: "The end of a subscription is not announced once its card was linked to a bank",
    inside: changeLater(UPDATED, (body, past) => isEnd(body) && wasLinked(past) && DROP),
  },
  {
    id: "seq/end-unlinks",
    requirement: "SUB-07",
    description: "The end of a linked subscription removes its bank account",
    inside: changeLater(
      UPDATED,
      (body, past) => isEnd(body) && wasLinked(past) && unlink(body),
      KIND,
    ),
  },
  {
    id: "seq/end-of-upgraded-unlinks",
    requirement: "SUB-06",
    description: "The end of an upgraded subscription removes its bank account",
    inside: changeLater(
      UPDATED,
      (body, past) => isEnd(body) && wasUpgraded(past) && unlink(body),
      KIND,
    ),
  },
  {
    id: "seq/link-revives",
    requirement: "SUB-07",
    description: "Linking the card of an ended subscription activates it again",
    inside: changeLater(
      UPDATED,
      (body, past) => {
        if (!gainsAccount(body, past) || body.state !== "deactivated") return false;
        body.state = "active";
        return true;
      },
      KIND,
    ),
  },
  {
    id: "seq/link-of-ended-unannounced",
    requirement: "SUB-07",
    description: "Linking the card of an ended subscription is not announced",
    inside: changeLater(UPDATED, (body, past) => {
      return gainsAccount(body, past) && body.state === "deactivated" && DROP;
    }),
  },
  {
    id: "seq/sca-unlinks",
    requirement: "SUB-07",
    description: "Clearing SCA removes the bank account that was linked while in reqSCA",
    inside: changeLater(
      UPDATED,
      (body, past) => {
        const before = past.own.at(-1)?.body;
        const isCleared = before?.state === "reqSCA" && body.state === "active";
        return isCleared && wasLinked(past) && !wasUpgraded(past) && unlink(body);
      },
      KIND,
    ),
  },
  {
    id: "seq/sca-again-announced",
    requirement: "SUB-09",
    description: "A second clearing of SCA is announced as an update",
    inside: acceptAgain("sca-pass", KIND, "subscriptionId", (resource, { work }) => {
      updateSubscription(work, resource, {});
    }),
  },
  {
    id: "seq/sca-revives",
    requirement: "SUB-05",
    description: "Clearing SCA activates an ended subscription",
    inside: acceptAgain("sca-pass", KIND, "subscriptionId", (resource, { work }) => {
      if (!isEnd(resource.body)) return false;
      updateSubscription(work, resource, { state: "active" });
      return true;
    }),
  },
  {
    id: "seq/upgrade-again",
    requirement: "SUB-05",
    description: "A second upgrade asks for SCA again",
    inside: acceptAgain("upgrade", KIND, "subscriptionId", (resource, { work }) => {
      if (resource.body.state !== "active") return false;
      updateSubscription(work, resource, { state: "reqSCA" });
      return true;
    }),
  },
  {
    id: "seq/upgrade-resets-creation",
    requirement: "SUB-06",
    description: "An upgrade resets createdAt",
    inside: changeLater(
      UPDATED,
      (body, past) => {
        const isUpgrade = past.own.at(-1)?.body.enrollmentType === "bank-feed";
        if (!isUpgrade || body.enrollmentType === "bank-feed") return false;
        body.createdAt = body.updatedAt;
        return true;
      },
      KIND,
    ),
  },
  {
    id: "seq/link-again-announced",
    requirement: "SUB-09",
    description: "Linking a card to the same account again is announced as an update",
    inside: acceptAgain("link-card", "cards", "cardId", (card, { work }) => {
      const [subscription] = work.store.children(KIND, card.id);
      if (subscription) updateSubscription(work, subscription, {});
    }),
  },
  {
    id: "seq/end-again-announced",
    requirement: "SUB-09",
    description: "A second deactivation is announced as an update",
    inside: acceptAgain("deactivate", KIND, "subscriptionId", (resource, { work }) => {
      updateSubscription(work, resource, {});
    }),
  },
  {
    id: "seq/recovery-revives",
    requirement: "SUB-05",
    description: "The recovery of an account activates the ended subscriptions of its cards",
    inside: changeLater("bankaccount.state_changed", (body, { all, work }) => {
      if (body.state !== "active") return false;
      const ids = new Set(all.filter(({ name }) => name === CREATED).map(({ body: { id } }) => id));
      const ended = [...ids]
        .map((id) => work.store.find(KIND, id) as Json)
        .filter((one) => one.body.bankAccountId === body.bankAccountId && isEnd(one.body));
      for (const one of ended) updateSubscription(work, one, { state: "active" });
      return ended.length > 0;
    }),
  },
  {
    id: "seq/enrollment-beside-a-feed",
    requirement: "SUB-04",
    description: "A card that is enrolled while a feed is undecided needs no SCA",
    inside: changeLater(
      CREATED,
      (body, { work }) => {
        const { accountId } = work.store.find(KIND, body.id);
        const feeds = work.store.latest("network-bulk-feeds", accountId, 1_000);
        const isWaiting = feeds.some(({ internal }) => internal.state === "submitted");
        if (body.enrollmentType !== "cardholder-single" || !isWaiting) return false;
        body.state = "active";
        return true;
      },
      KIND,
    ),
  },
];

function isEnd({ state }: Json): boolean {
  return state === "deactivated";
}

/** Whether an earlier event gave an enrolled card its bank account. */
function wasLinked({ own }: Past): boolean {
  return own[0]?.body.bankAccountId === undefined && own.at(-1)?.body.bankAccountId !== undefined;
}

function wasUpgraded({ own }: Past): boolean {
  const [first] = own;
  const last = own.at(-1);
  return first?.body.enrollmentType === "bank-feed" && last?.body.enrollmentType !== "bank-feed";
}

function gainsAccount(body: Json, { own }: Past): boolean {
  return body.bankAccountId !== undefined && own.at(-1)?.body.bankAccountId === undefined;
}
