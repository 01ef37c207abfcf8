import type { Situation } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { bodyOf } from "../assert.ts";
import type { Session } from "../check.ts";
import type { VerbResult } from "../driver.ts";
import { Skip } from "../skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import {
  advanceUntil,
  deliveriesSince,
  driveAndWait,
  type IsComplete,
  runScenarios,
  type Scenarios,
} from "./act.ts";
import {
  findEvents,
  findMatches,
  hidesSource,
  isAnnounced,
  messageIdsOf,
  messagesIn,
  messagesNaming,
  textAt,
} from "./find-deliveries.ts";
import {
  authorize,
  bankMessageOf,
  clear,
  isCleared,
  type LifeStep,
  type PurchaseStep,
  post,
  read,
} from "./purchases.ts";

type Part = "one" | "other" | "more";

/**
 * A posting or clearing of a part. The target chooses the order of matching, so `last` is the part
 * whose message the purchase lists last. `rest` is the remaining part.
 */
type Event = `post ${Part}` | `clear ${Part | "last" | "rest"}`;

/** A purchase of two or three parts, and the order in which they are posted and cleared. */
interface Plan {
  readonly merchant: string;
  readonly amounts: { readonly one: number; readonly other: number; readonly more?: number };
  readonly events: readonly Event[];
}

/** Postings before, between and after clearings, with the smaller or the larger part first. */
const PLANS: readonly Plan[] = [
  {
    ...{ merchant: "BOTTEGA LUCCHESE", amounts: { one: 70.11, other: 30.07 } },
    events: ["post one", "post other", "clear last", "clear rest"],
  },
  {
    ...{ merchant: "REISEBUERO HANSA", amounts: { one: 61.17, other: 142.35 } },
    events: ["post one", "post other", "clear one", "clear rest"],
  },
  {
    ...{ merchant: "SPORTHUIS ZEELAND", amounts: { one: 84.29, other: 37.43 } },
    events: ["post one", "clear one", "post other", "clear rest"],
  },
  {
    ...{ merchant: "LIBRAIRIE MOLLAT", amounts: { one: 55.37, other: 131.89 } },
    events: ["post other", "clear one", "post one", "clear rest"],
  },
  {
    ...{ merchant: "MERCERIA ROSSIO", amounts: { one: 46.61, other: 109.27 } },
    events: ["clear one", "post other", "clear rest", "post one"],
  },
  {
    ...{ merchant: "KAFFEEROESTEREI LORBEER", amounts: { one: 83.19, other: 39.53, more: 21.07 } },
    events: ["post one", "post other", "post more", "clear one", "clear other"],
  },
];

/** A message that settles a part. */
interface PartMessage {
  readonly part: Part;
  readonly by: "post" | "clear";
  /** Whether the purchase listed the bank's message before the network cleared the part. */
  readonly isProvisional: boolean;
}

/** A purchase in parts after one of its events. */
export interface InterleavedStep {
  readonly event: Event;
  readonly amounts: Readonly<Record<Part, number>>;
  /** The purchase's updates since the event, and the API's response after it. */
  readonly views: readonly (Exchange | Delivery)[];
  /** The messages of its parts, by their ids. */
  readonly messages: ReadonlyMap<string, PartMessage>;
  /** The event's posting, if it was announced, with its part and when the bank posted it. */
  readonly posting?: {
    readonly bankTransactionId: string;
    readonly part: Part;
    readonly when: Situation;
  };
  /** When the bank posts each part: before, between or after the clearings of the purchase. */
  readonly posted: Readonly<Record<Part, Situation>>;
  readonly transactionId: string;
  /** The API's response for the purchase before the event. */
  readonly before: Exchange;
  readonly step: LifeStep;
}

/** Makes purchases in parts, each posted and cleared in a different order. */
export function interleaved(session: Session): Promise<Scenarios<readonly InterleavedStep[]>> {
  return session.share("scenario: parts are posted and cleared in turn", (own) =>
    runScenarios(...PLANS.map((plan) => () => play(own, plan))),
  );
}

/** A purchase that the bank posted in two parts and the network cleared at once. */
interface ClearedAtOnce {
  /** The purchase after both postings, and after the clearing. */
  readonly posted: PurchaseStep;
  readonly cleared: PurchaseStep<VerbResult<"clear">>;
  /** The ids of the bank's messages for its parts, before the clearing. */
  readonly provisionalIds: readonly string[];
}

/** Posts a purchase in two parts, the smaller one first. Then the network clears all of it. */
export function clearedAtOnce(session: Session): Promise<ClearedAtOnce> {
  return session.share("scenario: parts are posted, then all of it is cleared", async (own) => {
    const [one, other] = [48.19, 93.62];
    const merchant = "ORFEVRERIE DU QUAI";
    const begun = await authorize(own, { amount: one + other, merchant });
    const { bankAccountId, transactionId } = begun;
    const posting = { bankAccountId, transactionId, amount: one, merchant };
    const { result: first } = await driveAndWait(own, "postAtBank", posting, (result) => (now) => {
      return isAnnounced(now, "banktransaction.created", result.bankTransactionId);
    });
    // The target may match the first posting only when the other one arrives.
    const posted = await post(own, begun, { amount: other, merchant });
    const provisionalIds = [first, posted].flatMap(({ bankTransactionId }) => {
      const message = bankMessageOf(posted, bankTransactionId);
      return textAt(message && bodyOf(message), "/id") ?? [];
    });
    return { posted, cleared: await clear(own, posted), provisionalIds };
  });
}

async function play(session: Session, plan: Plan): Promise<readonly InterleavedStep[]> {
  const { merchant, events } = plan;
  const amounts = { more: 0, ...plan.amounts };
  const amount = Math.round((amounts.one + amounts.other + amounts.more) * 100) / 100;
  const purchase = await authorize(session, { amount, merchant });
  const { transactionId, bankAccountId } = purchase;
  const postings = new Map<string, Part>();
  const messages = new Map<string, PartMessage>();
  const all: Delivery[] = [];
  const steps: InterleavedStep[] = [];
  let since = 0;
  for (const event of events) {
    const [by, which] = event.split(" ") as ["post" | "clear", Part | "last" | "rest"];
    const part = partOf(which, messages, steps.at(-1)?.views.at(-1));
    let acted: Pick<LifeStep, "verb" | "messageId" | "bankTransactionId" | "deliveries">;
    since = (await session.deliveries()).length;
    if (by === "post") {
      const posting = { bankAccountId, transactionId, amount: amounts[part], merchant };
      const step = await driveAndWait(
        session,
        "postAtBank",
        posting,
        ({ bankTransactionId }) =>
          (now) => {
            return isAnnounced(now, "banktransaction.created", bankTransactionId);
          },
      );
      const { bankTransactionId } = step.result;
      postings.set(bankTransactionId, part);
      acted = { verb: "postAtBank", bankTransactionId, deliveries: step.deliveries };
    } else {
      const params = { transactionId, ...(which !== "rest" && { amount: amounts[part] }) };
      const step = await driveAndWait(session, "clear", params, ({ messageId }) => (now) => {
        return isCleared(now, transactionId, messageId);
      });
      const { messageId } = step.result;
      messages.set(messageId, { part, by, isProvisional: false });
      acted = { verb: "clear", messageId, deliveries: step.deliveries };
    }
    const { deliveries } = acted;
    all.push(...deliveries);
    const { resource, messages: own } = await read(session, transactionId);
    const updates = findEvents(deliveries, "transaction.updated", { "/id": transactionId });
    const listed = messageIdsOf(bodyOf(resource));
    const bodies = [...all, ...own, resource].map(bodyOf);
    // The target may match a posting, and add its message, only when the other posting arrives.
    for (const [id, posted] of postings) {
      const known = [...messages.values()].some((one) => one.by === "clear" && one.part === posted);
      for (const messageId of messagesNaming(bodies, id)) {
        if (!listed.includes(messageId) || messages.has(messageId)) continue;
        messages.set(messageId, { part: posted, by: "post", isProvisional: !known });
      }
    }
    const shown = messagesIn(bodies);
    if (listed.some((id) => !messages.has(id) && hidesSource(shown.get(id)))) {
      throw new Skip("no view of a bank's message shows the bankData that tells its part");
    }
    const posted = postedIn(events);
    const { bankTransactionId } = acted;
    const isPosted =
      bankTransactionId !== undefined &&
      isAnnounced(deliveries, "banktransaction.created", bankTransactionId);
    steps.push({
      ...{ event, amounts, views: [...updates, resource], messages: new Map(messages) },
      ...{ posted, transactionId },
      ...(isPosted && { posting: { bankTransactionId, part, when: posted[part] } }),
      before: steps.at(-1)?.step.resource ?? purchase.resource,
      step: { ...acted, resource, messages: own },
    });
  }
  const last = steps.at(-1);
  if (!last) return steps;
  const isMatched: IsComplete = (later) => {
    const matches = [...postings.keys()].map((id) => findMatches([...all, ...later], id));
    const isCertain = ({ json }: Delivery) => memberOf(json, "confidence") === "HIGH";
    // After an uncertain match, it is open which debits are matched.
    return matches.every(({ length }) => length > 0) || !matches.flat().every(isCertain);
  };
  // A clearing is newer card data, which may be matched later (MAT-09).
  await advanceUntil(session, since, isMatched);
  const deliveries = await deliveriesSince(session, since, isMatched);
  return [...steps.slice(0, -1), { ...last, step: { ...last.step, deliveries } }];
}

function postedIn(events: Plan["events"]): Readonly<Record<Part, Situation>> {
  const clearings = (some: Plan["events"]) =>
    some.filter((event) => event.startsWith("clear")).length;
  const when = (part: Part): Situation => {
    const before = clearings(events.slice(0, events.indexOf(`post ${part}`)));
    if (before === 0) return "posted-first";
    return before === clearings(events) ? "posted-last" : "posted-between";
  };
  return { one: when("one"), other: when("other"), more: when("more") };
}

function partOf(
  which: Part | "last" | "rest",
  messages: InterleavedStep["messages"],
  view: Exchange | Delivery | undefined,
): Part {
  if (which !== "last" && which !== "rest") return which;
  if (which === "rest") {
    const cleared = [...messages.values()].find(({ by }) => by === "clear");
    return cleared?.part === "one" ? "other" : "one";
  }
  const ids = view ? messageIdsOf(bodyOf(view)) : [];
  return ids.flatMap((id) => messages.get(id)?.part ?? []).at(-1) ?? "other";
}

/** The messages of each part that a view of a purchase lists. */
export function partsIn(
  view: Exchange | Delivery,
  messages: InterleavedStep["messages"],
): Map<Part, (PartMessage & { readonly id: string })[]> {
  const listed = messageIdsOf(bodyOf(view)).flatMap((id) => {
    const message = messages.get(id);
    return message ? [{ ...message, id }] : [];
  });
  return Map.groupBy(listed, ({ part }) => part);
}
