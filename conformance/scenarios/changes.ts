import type { Situation } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { OPEN_BANKING } from "../../src/contract/rules/vocabulary.ts";
import { bodyOf } from "../assert.ts";
import type { Session } from "../check.ts";
import { situationsOf } from "../observe/situations.ts";
import type { Exchange } from "../wire/exchange.ts";
import { hasVerbs, readMessage } from "./act.ts";
import {
  findEvents,
  hidesSource,
  messageIdsOf,
  messagesIn,
  messagesNaming,
  textAt,
} from "./find-deliveries.ts";
import { interleaved } from "./interleaved.ts";
import { ifPossible, lives, purchaseSteps } from "./lifecycles.ts";
import {
  authorized,
  clearedByNetwork,
  clearedInYen,
  type LifeStep,
  type PurchaseInParts,
  purchaseInParts,
  revisedByNetwork,
  settled,
} from "./purchases.ts";
import { cardless, type LateMatch, lateMatch, lateMatchOf, standalone } from "./standalones.ts";

/** A driven transaction after a step that created or changed it. */
export interface TransactionChange {
  readonly transactionId: string;
  readonly step: LifeStep;
  /** The API's response for it before; undefined if the step created it. */
  readonly before?: Exchange;
  /** The number of earlier steps since its creation; 0 for the creation. */
  readonly at: number;
  /** What the step was by the messages that it added, such as `first-clearing`. */
  readonly kinds: readonly Situation[];
  /** The ids of the messages that it added, by links, by the driver's result or by events. */
  readonly added: readonly string[];
}

interface Steps {
  readonly transactionId: string;
  readonly steps: readonly LifeStep[];
  readonly before?: Exchange;
}

/** Every driven change of a transaction, as far as the driver can make them. */
export function changes(session: Session): Promise<readonly TransactionChange[]> {
  return session.share("scenario: changes of transactions", async (own) => {
    const canClear = hasVerbs(own, "clear");
    const all = [
      ...(await ifPossible(() => firstPurchase(own))),
      ...(canClear ? await ifPossible(() => othersCleared(own)) : []),
      ...(canClear ? await ifPossible(() => revised(own)) : []),
      ...(canClear ? await ifPossible(() => inYen(own)) : []),
      ...(canClear ? await ifPossible(() => inParts(own)) : []),
      // Without "verb:settle", a match may arrive after the next step.
      ...(canClear && hasVerbs(own, "settle") ? await ifPossible(() => inTurn(own)) : []),
      ...(await ifPossible(() => movements(own))),
    ].flat();
    // Throws the refusal.
    if (all.length === 0) await authorized(own);
    return (await Promise.all(all.map((one) => changesOf(own, one)))).flat();
  });
}

async function firstPurchase(session: Session): Promise<Steps[]> {
  const first = await authorized(session);
  const [posted] = await ifPossible(() => settled(session));
  const canClear = posted && hasVerbs(session, "clear");
  const [cleared] = canClear ? await ifPossible(() => clearedByNetwork(session)) : [];
  return [{ transactionId: first.transactionId, steps: purchaseSteps(first, posted, cleared) }];
}

async function othersCleared(session: Session): Promise<readonly Steps[]> {
  return (await lives(session)).completed;
}

async function revised(session: Session): Promise<Steps[]> {
  const { first, posted, cleared } = await revisedByNetwork(session);
  return [{ transactionId: first.transactionId, steps: purchaseSteps(first, posted, cleared) }];
}

async function inYen(session: Session): Promise<Steps[]> {
  const { purchase, cleared } = await clearedInYen(session);
  return [{ transactionId: purchase.transactionId, steps: clearingSteps(cleared) }];
}

async function inParts(session: Session): Promise<Steps[]> {
  const { purchase, cleared, postings } = await purchaseInParts(session);
  const { transactionId } = purchase;
  const steps = [
    ...clearingSteps(cleared),
    ...postings.map((one) => ({ ...one, verb: "postAtBank" }) as const),
  ];
  return [{ transactionId, steps }];
}

function clearingSteps(cleared: PurchaseInParts["cleared"]): LifeStep[] {
  return cleared.map((one, i) => ({ ...one, verb: i === 0 ? "authorize" : "clear" }));
}

async function inTurn(session: Session): Promise<Steps[]> {
  const { completed } = await interleaved(session);
  return completed.flatMap((steps) => {
    const [first] = steps;
    if (!first) return [];
    const { transactionId, before } = first;
    return [{ transactionId, before, steps: steps.map(({ step }) => step) }];
  });
}

async function movements(session: Session): Promise<Steps[]> {
  const isLate = hasVerbs(session, "tellLate");
  const scenarios = isLate ? [() => lateMatch(session), () => lateMatchOf(session, "HIGH")] : [];
  const matched: LateMatch[] = [];
  for (const scenario of scenarios) matched.push(...(await ifPossible(scenario)));
  const netted = new Map(matched.map((one) => [one.standalone.transactionId, one]));
  const created = [
    ...(await ifPossible(() => standalone(session))),
    ...(await ifPossible(() => cardless(session))),
    ...matched.map((one) => one.standalone),
  ];
  const own = [...new Map(created.map((one) => [one.transactionId, one])).values()];
  const bankOnly = own.flatMap(({ transactionId, ...movement }): Steps[] => {
    if (transactionId === undefined) return [];
    const match = netted.get(transactionId);
    const isNetted = match && match.matches.length > 0;
    const steps: LifeStep[] = [
      { ...movement, verb: "postAtBank" },
      ...(isNetted
        ? [{ ...match, messages: match.standalone.messages, verb: "tellLate" } as const]
        : []),
    ];
    return [{ transactionId, steps }];
  });
  // Without "verb:settle", events of the purchase may still follow.
  const late = hasVerbs(session, "settle") ? matched : [];
  const purchases = late.map(({ purchase, result, deliveries }): Steps => {
    const step = { verb: "tellLate", deliveries, ...purchase } as const;
    return { transactionId: result.transactionId, steps: [step] };
  });
  return [...bankOnly, ...purchases];
}

async function changesOf(session: Session, life: Steps): Promise<TransactionChange[]> {
  const { networks } = session.capabilities;
  const { transactionId, steps, before: first } = life;
  const list: TransactionChange[] = [];
  let before = first;
  let clearings = 0;
  for (const step of steps) {
    const known = new Set(messageIdsOf(before && bodyOf(before)));
    const linked = messageIdsOf(bodyOf(step.resource));
    const named = [step.messageId, ...announcedFor(step)].flatMap((id) => id ?? []);
    const added = [...new Set([...linked, ...named])].filter((id) => !known.has(id));
    const missing = added.filter((id) => !linked.includes(id));
    const read = await Promise.all(missing.map((id) => readMessage(session, id)));
    const views = [...step.deliveries, ...step.messages, ...read, step.resource];
    const messages = messagesIn(views.map(bodyOf));
    const shown = added.flatMap((id) => {
      const message = messages.get(id);
      return hidesSource(message) ? [] : situationsOf(message, networks);
    });
    const isCleared = shown.includes("clearing");
    const isNetted = step.verb === "tellLate" && before !== undefined;
    const kinds: Situation[] = [
      ...(["authorization", "posted", "bank-only"] as const).filter((one) => shown.includes(one)),
      ...(isCleared ? ([clearings === 0 ? "first-clearing" : "second-clearing"] as const) : []),
      ...(isNetted ? ["bank-only" as const] : []),
      ...(step.verb === "tellLate" && !before ? ["late-card-data" as const] : []),
      ...(isForeign(step.resource) ? ["foreign-currency" as const] : []),
    ];
    if (isCleared) clearings += 1;
    const at = list.length + (first ? 1 : 0);
    list.push({ transactionId, step, ...(before && { before }), at, kinds, added });
    before = step.resource;
  }
  return list;
}

function isForeign(resource: Exchange): boolean {
  const body = bodyOf(resource);
  const currency = memberOf(body, "transactionCurrency");
  return currency === "JPY" && currency !== memberOf(body, "cardholderBillingCurrency");
}

/** The ids of the messages that were announced for the posting of a purchase. */
function announcedFor({ bankTransactionId, deliveries }: LifeStep): string[] {
  if (bankTransactionId === undefined) return [];
  const named = messagesNaming(deliveries.map(bodyOf), bankTransactionId);
  return findEvents(deliveries, "transactionmessage.created")
    .filter(({ json }) => memberOf(json, "network") !== OPEN_BANKING)
    .flatMap(({ json }) => textAt(json, "/id") ?? [])
    .filter((id) => named.includes(id));
}
