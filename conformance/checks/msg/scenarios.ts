import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, bodyOf, breachAt, differences, type Message } from "../../assert.ts";
import { type Breach, type Check, Skip } from "../../check.ts";
import type { Session } from "../../run/session.ts";
import { allDeliveries, hasVerb, runScenarios } from "../../scenarios/act.ts";
import { findEvents, listAt, messageIdsOf, textAt } from "../../scenarios/find-deliveries.ts";
import {
  authorized,
  clearedByNetwork,
  type PurchaseStep,
  settled,
} from "../../scenarios/purchases.ts";
import { usedOnceUpgraded } from "../../scenarios/subscriptions.ts";
import { type Delivery, isDelivery } from "../../wire/delivery.ts";
import type { Exchange } from "../../wire/exchange.ts";
import { AUTHORIZED, POSTED, UPGRADED } from "../shared/scenario-capabilities.ts";

const NONE_ON_C = "no driven authorization was on NETWORK_C";

/** Checks the messages of driven purchases. */
export const drivenMessageChecks: readonly Check[] = [
  // MSG-03: A superseded message stays fetchable and stays in _links.messages.
  {
    requirement: "MSG-03",
    title: "a message superseded by a driven clearing stays linked and fetchable",
    requires: [...POSTED, "verb:clear"],
    alternative: true,
    run: async (session) => {
      const { resource, deliveries, transactionId, provisional } = await clearedByNetwork(session);
      const id = textAt(provisional && bodyOf(provisional), "/id") ?? requestedId(provisional);
      const assertions = new Assertions();
      const updates = findEvents(deliveries, "transaction.updated", { "/id": transactionId });
      for (const view of [resource, ...updates]) {
        if (!listAt(bodyOf(view), "supersededMessageIds").includes(id)) continue;
        const isListed = messageIdsOf(bodyOf(view)).includes(id ?? "");
        assertions.check(
          isListed,
          breachAt(view, "/_links/messages", `a link to ${id}, superseded`),
        );
        if (!provisional) continue;
        assertions.check(bodyOf(provisional) !== undefined, {
          expected: "200, because a superseded message stays fetchable",
          actual: `${provisional.response?.status ?? "no response"}`,
          evidence: [provisional, view],
        });
      }
      return assertions.result("the network's clearing superseded no message: see TXN-13");
    },
  },
  // MSG-04: traceId is null on every network other than NETWORK_C; only there is it populated.
  {
    requirement: "MSG-04",
    title: "traceId of driven authorizations is populated on NETWORK_C only",
    requires: [...UPGRADED, "verb:authorize"],
    run: async (session) => {
      const { completed: authorizations, missing } = await runScenarios(
        () => authorized(session).then(({ deliveries, messages }) => [...deliveries, ...messages]),
        () =>
          usedOnceUpgraded(session).then(({ deliveries, resource }) => [...deliveries, resource]),
      );
      const assertions = new Assertions();
      const isMessage = (view: Message) =>
        isDelivery(view) ? view.name === "transactionmessage.created" : bodyOf(view) !== undefined;
      const views = authorizations.flat().filter(isMessage);
      const isOnC = (view: Message) =>
        memberOf(bodyOf(view), "network") === session.capabilities.networks.c;
      const traceId = (view: Message) => memberOf(bodyOf(view), "traceId") ?? null;
      for (const view of views) {
        if (isOnC(view)) {
          const isDigits = traceId(view) === null || /^\d+$/.test(String(traceId(view)));
          assertions.check(isDigits, breachAt(view, "/traceId", "a string of digits"));
        } else
          assertions.check(traceId(view) === null, breachAt(view, "/traceId", "null or nothing"));
      }
      // A single message may lack a traceId. It must not be missing from all.
      const [first, ...others] = views.filter(isOnC);
      if (!first) return assertions.result(NONE_ON_C, missing ?? new Skip(NONE_ON_C));
      const isPopulated = [first, ...others].some((view) => traceId(view) !== null);
      const expected = "a traceId on at least one authorization";
      assertions.check(isPopulated, breachAt(first, "/traceId", expected, ...others));
      return assertions.result(NONE_ON_C, missing);
    },
  },
  // MSG-09: The single-message GET is identical to the transactionmessage.created payload.
  {
    requirement: "MSG-09",
    title: "each message of a driven purchase is announced as GET returns it",
    requires: AUTHORIZED,
    alternative: true,
    run: async (session) => {
      const assertions = new Assertions();
      const all = await allDeliveries(session);
      const { resource, messages } = await lastOf(session);
      for (const message of messages) {
        const id = textAt(bodyOf(message), "/id");
        if (id === undefined) continue;
        const announced = findEvents(all, "transactionmessage.created", { "/id": id });
        assertions.wasDelivered(announced, `transactionmessage.created of ${id}`, message, (one) =>
          unlike(one, message),
        );
      }
      return assertions.result(`the API shows no message of ${resource.request.url}`);
    },
  },
];

/** Returns the purchase after the last step that the driver supports. */
async function lastOf(session: Session): Promise<PurchaseStep> {
  const { completed: steps } = await runScenarios<PurchaseStep>(
    () => authorized(session),
    ...(hasVerb(session, "postAtBank") ? [() => settled(session)] : []),
    ...(hasVerb(session, "postAtBank") && hasVerb(session, "clear")
      ? [() => clearedByNetwork(session)]
      : []),
  );
  return steps.at(-1) ?? authorized(session);
}

/** Compares a message's event with its response (MSG-09). The envelope may add `metadata`. */
function unlike(announced: Delivery, served: Exchange): Breach[] {
  const { metadata, ...event } = Object(announced.json);
  const body = Object(bodyOf(served));
  const names = [...new Set([...Object.keys(body), ...Object.keys(event)])];
  const values = names.map((name) => [`/${name}`, memberOf(body, name)] as const);
  return differences(announced, Object.fromEntries(values), [served]);
}

/** The id in the URL of a message request. */
function requestedId(message: PurchaseStep["resource"] | undefined): string | undefined {
  return message?.request.url.split("/").at(-1);
}
