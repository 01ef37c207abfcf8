import { isDeepStrictEqual } from "node:util";
import type { Situation } from "../../../generated/requirements.ts";
import { resourceFields } from "../../../generated/resources.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import {
  Assertions,
  bodyOf,
  breachAt,
  ClaimAssertions,
  differences,
  type Message,
} from "../../assert.ts";
import type { Breach, Check, Session } from "../../check.ts";
import { projectedMessages } from "../../observe/feed.ts";
import { messageDifferences } from "../../observe/observations.ts";
import { situationsOf } from "../../observe/situations.ts";
import { AUTHORIZED, allDeliveries, hasVerbs, POSTED } from "../../scenarios/act.ts";
import { changes } from "../../scenarios/changes.ts";
import {
  distinctEvents,
  findEvents,
  listAt,
  messageIdsOf,
  textAt,
} from "../../scenarios/find-deliveries.ts";
import {
  ifPossible,
  type Life,
  lives,
  type MessageView,
  ofEachLife,
  viewsOf,
} from "../../scenarios/lifecycles.ts";
import { clearedByNetwork, settled } from "../../scenarios/purchases.ts";
import { orphaned } from "../../scenarios/removals.ts";
import { type Delivery, type Exchange, outcomeOf } from "../../wire/exchange.ts";

const NONE_ON_C = "no driven authorization was on NETWORK_C";

/** Checks the messages of driven purchases. */
export const drivenMessageChecks: readonly Check[] = [
  // MSG-03: A superseded message stays fetchable and stays in _links.messages.
  {
    claims: ["MSG-03.fetchable", "MSG-03.linked"],
    title: "a message superseded by a driven clearing stays linked and fetchable",
    requires: [...POSTED, "verb:clear"],
    run: async (session) => {
      const { resource, deliveries, transactionId, provisional } = await clearedByNetwork(session);
      const id = provisional?.request.url.split("/").at(-1);
      const assertions = new ClaimAssertions();
      const expected = "200, because a superseded message stays fetchable";
      const stays = (message: Exchange, view: Message, ...where: Situation[]) => {
        const breach = { expected, actual: outcomeOf(message), evidence: [message, view] } as const;
        assertions.of("MSG-03.fetchable", ...where).check(bodyOf(message) !== undefined, breach);
      };
      const updates = findEvents(deliveries, "transaction.updated", { "/id": transactionId });
      for (const view of [resource, ...updates]) {
        if (!listAt(bodyOf(view), "supersededMessageIds").includes(id)) continue;
        const isListed = messageIdsOf(bodyOf(view)).includes(id ?? "");
        const linked = assertions.of("MSG-03.linked");
        linked.check(isListed, breachAt(view, "/_links/messages", `a link to ${id}, superseded`));
        if (provisional) stays(provisional, view);
      }
      const canRemove = hasVerbs(session, "removeAtProvider");
      const orphans = canRemove ? await ifPossible(() => orphaned(session)) : [];
      for (const orphan of orphans) stays(orphan.message, orphan.resource, "removed");
      return assertions.result("the network's clearing superseded no message: see TXN-13");
    },
  },
  // MSG-04: traceId is null on every network other than NETWORK_C; only there is it populated.
  {
    claims: [
      ...(["MSG-04.null-elsewhere", "MSG-04.populated-event"] as const),
      ...(["MSG-04.populated-get", "MSG-04.populated-projection"] as const),
    ],
    title: "traceId of driven authorizations is populated on NETWORK_C only",
    requires: [...POSTED, "verb:clear"],
    run: async (session) => {
      const { completed, missing } = await lives(session);
      const assertions = new ClaimAssertions();
      const isOnC = ({ body }: MessageView) =>
        memberOf(body, "network") === session.capabilities.networks.c;
      const traceId = ({ body }: MessageView) => memberOf(body, "traceId") ?? null;
      const onC: MessageView[] = [];
      for (const life of completed) {
        for (const view of viewsOf(life)) {
          if (isOnC(view)) onC.push(view);
          const { by, at } = view;
          const where = situationsOf(view.body, session.capabilities.networks);
          const expected = isOnC(view) ? "a string of digits, or null" : "null or nothing";
          const isRight =
            traceId(view) === null || (isOnC(view) && /^\d+$/.test(`${traceId(view)}`));
          const claim = assertions.of("MSG-04.null-elsewhere", ...where);
          claim.check(isRight, breachAt(by, `${at}/traceId`, expected));
        }
      }
      // A single message may lack a traceId. It must not be missing from all of a kind.
      for (const kind of ["event", "get", "projection"] as const) {
        const [first, ...others] = onC.filter((view) => view.kind === kind);
        if (!first) continue;
        const isPopulated = [first, ...others].some((view) => traceId(view) !== null);
        const expected = "a traceId on at least one message of NETWORK_C";
        const claim = assertions.of(`MSG-04.populated-${kind}`, "authorization", "clearing");
        claim.check(isPopulated, breachAt(first.by, `${first.at}/traceId`, expected));
      }
      return assertions.result(NONE_ON_C, missing);
    },
  },
  // MSG-05: traceId is a string of digits of any width, leading zeros significant, treated as
  // opaque; it is never a number.
  {
    claims: ["MSG-05.same-everywhere"],
    title: "a driven message has one traceId in event, GET and projection",
    requires: [...POSTED, "verb:clear"],
    run: async (session) => {
      const { completed, missing } = await lives(session);
      const assertions = new Assertions();
      for (const life of completed) {
        for (const [first, ...others] of viewsById(life)) {
          const traceId = memberOf(first?.body, "traceId") ?? null;
          if (!first || memberOf(first.body, "network") !== session.capabilities.networks.c)
            continue;
          for (const { by, at, body } of others) {
            const isSame = (memberOf(body, "traceId") ?? null) === traceId;
            const expected = `${JSON.stringify(traceId)}, as in the ${first.kind}`;
            assertions.check(isSame, breachAt(by, `${at}/traceId`, expected, first.by));
          }
        }
      }
      return assertions.result(NONE_ON_C, missing);
    },
  },
  // MSG-06: approvalCode is a string, null or absent: absent or null for bank-only messages and for
  // real-time authorizations of NETWORK_C.
  ofEachView(
    ["MSG-06.none-network-c"],
    "a driven authorization on NETWORK_C has no approvalCode",
    ({ by, at, body, kind }, { authorizationId }, assertions, { capabilities }) => {
      if (memberOf(body, "id") !== authorizationId) return;
      if (memberOf(body, "network") !== capabilities.networks.c) return;
      const isNone = (memberOf(body, "approvalCode") ?? null) === null;
      const where = kind === "event" ? "delivered" : "alone";
      const claim = assertions.of("MSG-06.none-network-c", where);
      claim.check(isNone, breachAt(by, `${at}/approvalCode`, "null or nothing"));
    },
  ),
  // MSG-08: bankData is null for card-sourced messages; bank-sourced ones carry provider,
  // bankTransactionId and personalFinanceCategory {primary, detailed}.
  ofEachView(
    ["MSG-08.null-card"],
    "bankData is null on driven authorizations and clearings",
    ({ by, at, body }, { steps }, assertions) => {
      const step = steps.find(({ messageId }) => messageId === memberOf(body, "id"));
      if (!step) return;
      const isNull = (memberOf(body, "bankData") ?? null) === null;
      const where = step.verb === "clear" ? "clearing" : "authorization";
      const claim = assertions.of("MSG-08.null-card", where);
      claim.check(isNull, breachAt(by, `${at}/bankData`, "null or nothing: card-sourced"));
    },
  ),
  ofEachView(
    ["MSG-08.provider"],
    "bankData of a driven posting is in all views of its message",
    ({ kind, by, at, body }, life, assertions) => {
      const isSame = (one: MessageView) => memberOf(one.body, "id") === memberOf(body, "id");
      const other = viewsOf(life).find((one) => {
        return isSame(one) && textAt(one.body, "/bankData/bankTransactionId") !== undefined;
      });
      // A standalone message may be abridged.
      const bankData = memberOf(body, "bankData") ?? (kind === "projection" ? null : undefined);
      if (!other) return;
      const expected = "bankData: another view shows that it is bank-sourced";
      const breach = breachAt(by, `${at}/bankData`, expected, other.by);
      assertions.of("MSG-08.provider", "posted").check(bankData !== null, breach);
    },
  ),
  // MSG-09: The single-message GET is identical to the transactionmessage.created payload.
  {
    claims: ["MSG-09.identical", "MSG-09.once"],
    title: "each message of a driven purchase is announced as GET returns it",
    requires: AUTHORIZED,
    run: async (session) => {
      const assertions = new ClaimAssertions();
      const { networks } = session.capabilities;
      const steps = (await changes(session)).map(({ step }) => step);
      const all = await allDeliveries(session);
      for (const { resource, messages } of steps) {
        for (const message of messages) {
          const id = textAt(bodyOf(message), "/id");
          if (id === undefined) continue;
          const announced = findEvents(all, "transactionmessage.created", { "/id": id });
          const projected = (projectedMessages(bodyOf(resource)) ?? []).find((one) => {
            return memberOf(one, "id") === id;
          });
          const what = `transactionmessage.created of ${id}`;
          const where = situationsOf(bodyOf(message), networks);
          const same = assertions.of("MSG-09.identical", ...where);
          same.wasDelivered(announced, what, message, (one) => unlike(one, message, projected));
          assertions.of("MSG-09.once").atMost(1, distinctEvents(announced, all), `one ${what}`);
        }
      }
      return assertions.result("the API shows no message of the driven purchases");
    },
  },
  // MSG-12: The projection of a message in a transaction agrees with the standalone message on
  // every field they share.
  {
    claims: ["MSG-12.agrees"],
    title: "the projections of driven purchases agree with their messages",
    requires: AUTHORIZED,
    run: async (session) => {
      const assertions = new Assertions();
      const { networks } = session.capabilities;
      for (const { transactionId, before, step } of await changes(session)) {
        const { resource, messages, deliveries } = step;
        // The messages of a standalone transaction were requested before it was netted.
        if (step.verb === "tellLate" && before) continue;
        const [update] = findEvents(deliveries, "transaction.updated", {
          "/id": transactionId,
        }).toReversed();
        for (const view of update ? [resource, update] : [resource]) {
          const projected = projectedMessages(bodyOf(view)) ?? [];
          for (const [index, body] of projected.entries()) {
            const single = messages.find((one) => {
              return memberOf(bodyOf(one), "id") === memberOf(body, "id");
            });
            if (!single || bodyOf(single) === undefined) continue;
            const breaches = messageDifferences(body, bodyOf(single)).map((difference) => ({
              path: `/_embedded/messages/${index}${difference.path}`,
              expected: `${difference.other}, as fetched by id`,
              actual: difference.one,
              evidence: [view, single] as const,
            }));
            const where = situationsOf(body, networks);
            assertions.of("MSG-12.agrees", ...where).all(breaches);
          }
        }
      }
      return assertions.result("the API projects no message of the driven purchases");
    },
  },
  // MSG-11: bankData.bankTransactionId equals the banktransaction.created id and resolves at GET
  // /bank-transactions/{subaccountId}/{id}.
  {
    claims: ["MSG-11.equals-match"],
    title: "bankTransactionId of a bank's message is that of its match",
    requires: POSTED,
    run: async (session) => {
      const { deliveries, messages } = await settled(session);
      const matches = findEvents(deliveries, "transaction.match.created");
      const matched = matches.flatMap(({ json }) => listAt(json, "matches"));
      const ids = matched.map((one) => memberOf(one, "id"));
      const assertions = new Assertions();
      for (const message of messages) {
        const id = textAt(bodyOf(message), "/bankData/bankTransactionId");
        const [match] = matches;
        if (id === undefined || !match) continue;
        const expected = `matches[].id of its match: ${ids.join(" or ")}`;
        const breach = breachAt(message, "/bankData/bankTransactionId", expected, match);
        assertions.check(ids.includes(id), breach);
      }
      return assertions.result("the bank's posting settled no purchase: see TXN-12");
    },
  },
];

/** Checks each view of the messages of purchases on each network. */
function ofEachView(
  claims: Check["claims"],
  title: string,
  find: (
    view: MessageView,
    life: Life,
    assertions: Pick<Assertions, "of">,
    session: Session,
  ) => void,
): Check {
  return ofEachLife(
    claims,
    title,
    (life, assertions, _where, session) => {
      for (const view of viewsOf(life)) find(view, life, assertions, session);
    },
    "no message of a driven purchase shows it",
  );
}

function viewsById(life: Life): MessageView[][] {
  return [...Map.groupBy(viewsOf(life), ({ body }) => memberOf(body, "id")).values()];
}

/**
 * Compares a message's event with its response (MSG-09). An envelope may add unknown fields.
 *
 * @param projected The message in its transaction, which shows which of the two is wrong.
 */
function unlike(announced: Delivery, served: Exchange, projected: unknown): Breach[] {
  const body = Object(bodyOf(served));
  const names = new Set([...Object.keys(body), ...resourceFields.transactionMessages.all]);
  return [...names].flatMap((name) => {
    const path = `/${name}`;
    const breaches = differences(announced, { [path]: memberOf(body, name) }, [served]);
    const third = memberOf(projected, name);
    const isServedWrong =
      third !== undefined && isDeepStrictEqual(third, memberOf(announced.json, name));
    if (breaches.length === 0 || !isServedWrong) return breaches;
    return differences(served, { [path]: third }, [announced]);
  });
}
