import { memberOf } from "../../../src/contract/pointer.ts";
import { type Breach, type Check, Skip } from "../../check.ts";
import { type Delivery, isDelivery } from "../../deliveries/delivery.ts";
import { allDeliveries, has, tellEach } from "../../driven/act.ts";
import { bodyOf, breachAt, differences, Look, type Shown } from "../../driven/look.ts";
import {
  authorized,
  bankMessageOf,
  clearedByNetwork,
  enriched,
  type PurchaseStep,
  settled,
} from "../../driven/purchases.ts";
import { cardless, type Standalone, standalone } from "../../driven/standalones.ts";
import { CHOSEN, subscribedToSome } from "../../driven/subscribed.ts";
import { usedOnceUpgraded } from "../../driven/subscriptions.ts";
import {
  areInverted,
  isOfSecond,
  listAt,
  matchesOf,
  messageIdsOf,
  ofEvent,
  sent,
  textAt,
} from "../../driven/told.ts";
import type { Session } from "../../session.ts";
import type { Exchange } from "../../transport/exchange.ts";
import { AUTHORIZED, POSTED, STANDALONE, UPGRADED } from "./needs.ts";

const NONE_ON_C = "no driven authorization was on NETWORK_C";

/** What is registered, synced or found is announced, each once. */
export const announcementChecks: readonly Check[] = [
  {
    requirement: "MSG-03",
    title: "a message that a driven clearing superseded stays",
    requires: [...POSTED, "verb:clear"],
    alternative: true,
    run: async (session) => {
      const { shown, told, transactionId, provisional } = await clearedByNetwork(session);
      const id = textAt(provisional && bodyOf(provisional), "/id") ?? idAsked(provisional);
      const look = new Look();
      const updates = ofEvent(told, "transaction.updated", { "/id": transactionId });
      for (const view of [shown, ...updates]) {
        if (!listAt(bodyOf(view), "supersededMessageIds").includes(id)) continue;
        const isListed = messageIdsOf(bodyOf(view)).includes(id ?? "");
        look.that(isListed, breachAt(view, "/_links/messages", `a link to ${id}, superseded`));
        if (!provisional) continue;
        look.that(bodyOf(provisional) !== undefined, {
          expected: "200, as a superseded message stays fetchable",
          actual: `${provisional.response?.status ?? "no answer"}`,
          shownBy: [provisional, view],
        });
      }
      return look.found("the network's clearing superseded no message: see TXN-13");
    },
  },
  {
    requirement: "MSG-04",
    title: "traceId of driven authorizations is populated on NETWORK_C alone",
    requires: [...UPGRADED, "verb:authorize"],
    run: async (session) => {
      const { told: authorizations, missing } = await tellEach(
        () => authorized(session).then(({ told, messages }) => [...told, ...messages]),
        () => usedOnceUpgraded(session).then(({ told, shown }) => [...told, shown]),
      );
      const look = new Look();
      const isMessage = (view: Shown) =>
        isDelivery(view) ? view.name === "transactionmessage.created" : bodyOf(view) !== undefined;
      const views = authorizations.flat().filter(isMessage);
      const isOnC = (view: Shown) =>
        memberOf(bodyOf(view), "network") === session.capabilities.networks.c;
      const traceId = (view: Shown) => memberOf(bodyOf(view), "traceId") ?? null;
      for (const view of views) {
        if (isOnC(view)) {
          const isDigits = traceId(view) === null || /^\d+$/.test(String(traceId(view)));
          look.that(isDigits, breachAt(view, "/traceId", "a string of digits"));
        } else look.that(traceId(view) === null, breachAt(view, "/traceId", "null or nothing"));
      }
      // A single one may have none. None at all is not populated (readings, 23).
      const [first, ...others] = views.filter(isOnC);
      if (!first) return look.found(NONE_ON_C, missing ?? new Skip(NONE_ON_C));
      const isPopulated = [first, ...others].some((view) => traceId(view) !== null);
      const expected = "a traceId of one authorization at least";
      look.that(isPopulated, breachAt(first, "/traceId", expected, ...others));
      return look.found(NONE_ON_C, missing);
    },
  },
  {
    requirement: "MSG-09",
    title: "each message of a driven purchase is announced as it is served",
    requires: AUTHORIZED,
    alternative: true,
    run: async (session) => {
      const look = new Look();
      const all = await allDeliveries(session);
      const { shown, messages } = await lastOf(session);
      for (const message of messages) {
        const id = textAt(bodyOf(message), "/id");
        if (id === undefined) continue;
        const announced = ofEvent(all, "transactionmessage.created", { "/id": id });
        look.came(announced, `transactionmessage.created of ${id}`, message, (one) =>
          unlike(one, message),
        );
      }
      return look.found(`the API shows no message of ${shown.request.url}`);
    },
  },
  {
    requirement: "BTX-01",
    title: "what a bank posts is announced as it was posted",
    requires: STANDALONE,
    alternative: true,
    run: async (session) => {
      const look = new Look();
      const { told: steps, missing } = await tellEach<Standalone>(
        () => standalone(session),
        () => cardless(session),
      );
      for (const step of steps) {
        const { told, bankTransactionId, bankAccountId, amount, shown } = step;
        look.came(
          ofEvent(told, "banktransaction.created", { "/id": bankTransactionId }),
          `banktransaction.created of ${bankTransactionId}`,
          shown,
          (one) =>
            differences(one, {
              ...{ "/bankAccountId": bankAccountId, "/amount": amount },
              ...{ "/transactionType": "debit", "/pending": false },
            }),
        );
      }
      return look.found("the bank posted nothing", missing);
    },
  },
  {
    requirement: "MAT-01",
    title: "a match that settles a purchase is announced",
    requires: POSTED,
    alternative: true,
    run: async (session) => {
      const step = await settled(session);
      const { bankTransactionId, bankAccountId, cardId } = step;
      const message = bankMessageOf(step, bankTransactionId);
      if (!message) return new Skip("the bank's posting settled no purchase: see TXN-12");
      const look = new Look();
      look.came(
        matchesOf(step.told, bankTransactionId),
        `transaction.match.created of ${bankTransactionId}`,
        message,
        (match) => [
          ...differences(match, { "/cardTransaction/cardId": cardId }, [message]),
          ...(bankAccountIn(match.json, bankTransactionId) === bankAccountId
            ? []
            : [
                breachAt(match, "/matches/0/bankAccountId", JSON.stringify(bankAccountId), message),
              ]),
        ],
      );
      return look.found("nothing was matched");
    },
  },
  {
    requirement: "ENR-01",
    title: "a message that is enriched is announced",
    requires: [...AUTHORIZED, "verb:enrich"],
    alternative: true,
    run: async (session) => {
      const { told, shown } = await enriched(session);
      const look = new Look();
      // ENR-02: of what shape it is, is open; that it comes is not.
      look.came(ofEvent(told, "enrichment.merchant.created"), "enrichment.merchant.created", shown);
      return look.found("nothing was enriched");
    },
  },
  {
    requirement: "WHK-05",
    title: "a driven transaction is created once, before its updates",
    requires: POSTED,
    alternative: true,
    run: async (session) => {
      const { transactionId, shown } = await settled(session);
      const all = await allDeliveries(session);
      const look = new Look();
      const created = ofEvent(all, "transaction.created", { "/id": transactionId });
      look.came(created, `transaction.created of ${transactionId}`, shown);
      look.atMost(1, sent(created, all), `transaction.created of ${transactionId} once`);
      const pairs = created.flatMap((one) => {
        const id = textAt(one.json, "/id");
        return ofEvent(all, "transaction.updated", { "/id": id }).map((two) => [one, two] as const);
      });
      const [pair] = pairs;
      if (pair) {
        look.that(!areInverted(pairs), {
          expected: "transaction.created before the first transaction.updated",
          actual: "after all of them",
          shownBy: pair,
        });
      }
      return look.found("no transaction was created");
    },
  },
  {
    requirement: "WHK-06",
    title: "a URL subscribed to some events gets each of them, and no other",
    requires: [...AUTHORIZED, "verb:subscribe"],
    run: async (session) => {
      const { told, result, shown } = await subscribedToSome(session);
      const look = new Look();
      const there = told.filter(isOfSecond);
      const ids: readonly string[] = [result.transactionId, result.messageId];
      for (const name of CHOSEN) {
        const wanted = there.filter(({ name: its, json }) => {
          return its === name && ids.includes(textAt(json, "/id") ?? "");
        });
        look.came(wanted, `${name} at the URL that is subscribed to it`, shown);
      }
      const others = there.filter(({ name }) => !CHOSEN.some((one) => one === name));
      const only = CHOSEN.join(" and ");
      look.atMost(0, others, `nothing but ${only} at the URL that is subscribed to them alone`);
      look.came(
        ofEvent(told, "transaction.created", { "/id": result.transactionId }),
        "transaction.created at the URL that is subscribed to all events",
        shown,
      );
      return look.found("nothing was subscribed to");
    },
  },
];

/** The purchase as far as the driver takes it. */
async function lastOf(session: Session): Promise<PurchaseStep> {
  const { told: steps } = await tellEach<PurchaseStep>(
    () => authorized(session),
    ...(has(session, "postAtBank") ? [() => settled(session)] : []),
    ...(has(session, "postAtBank") && has(session, "clear")
      ? [() => clearedByNetwork(session)]
      : []),
  );
  return steps.at(-1) ?? authorized(session);
}

/** MSG-09: both have the same members with the same values; the envelope has metadata besides. */
function unlike(announced: Delivery, served: Exchange): Breach[] {
  const { metadata, ...event } = Object(announced.json);
  const body = Object(bodyOf(served));
  const names = [...new Set([...Object.keys(body), ...Object.keys(event)])];
  const values = names.map((name) => [`/${name}`, memberOf(body, name)] as const);
  return differences(announced, Object.fromEntries(values), [served]);
}

/** The id that a message was asked for by. */
function idAsked(message: PurchaseStep["shown"] | undefined): string | undefined {
  return message?.request.url.split("/").at(-1);
}

function bankAccountIn(match: unknown, bankTransactionId: string): unknown {
  const own = listAt(match, "matches").find((one) => memberOf(one, "id") === bankTransactionId);
  return memberOf(own, "bankAccountId");
}
