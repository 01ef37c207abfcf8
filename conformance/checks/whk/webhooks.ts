import { eventSchemaNames } from "../../../generated/schema-index.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import { type Breach, type Check, Skip } from "../../check.ts";
import { inDeliveries } from "../../observe/body-checks.ts";
import { validatedDeliveriesOf } from "../../observe/deliveries/history.ts";
import type { ValidatedDelivery } from "../../observe/validation.ts";
import { announcedIfNew } from "../shared/announced-if-new.ts";
import { snapshotsIn } from "../shared/delivery-cases.ts";
import { nameOf } from "../shared/events.ts";
import { inHistory } from "../shared/in-history.ts";

const NONE = new Skip("no delivery arrived", "let the target deliver during the run");

export const webhooks: readonly Check[] = [
  // WHK-01: A delivery is an HTTP request with a JSON body and the header webhook-event-type, one
  // of the 13 event names.
  {
    claims: ["WHK-01.json-body"],
    title: "a delivery is sent by POST, PUT or PATCH",
    requires: ["deliveries"],
    run: async (session) =>
      each(await validatedDeliveriesOf(session), NONE, ({ delivery }) => {
        const { method } = delivery.request;
        // The interface does not specify the method.
        if (["POST", "PUT", "PATCH"].includes(method)) return [];
        return [{ expected: "POST", actual: method, evidence: [delivery] }];
      }),
  },
  {
    claims: ["WHK-01.json-body"],
    title: "a delivery has a JSON body and no other content type",
    requires: ["deliveries"],
    run: async (session) => each(await validatedDeliveriesOf(session), NONE, bodyBreaches),
  },
  {
    claims: ["WHK-01.event-type"],
    title: "webhook-event-type is one of the 13 event names",
    requires: ["deliveries"],
    run: async (session) =>
      each(await validatedDeliveriesOf(session), NONE, ({ delivery }) => {
        const { name } = delivery;
        if (Object.hasOwn(eventSchemaNames, name)) return [];
        const expected = "one of the 13 event names in webhook-event-type";
        return [{ expected, actual: name || "nothing", evidence: [delivery] }];
      }),
  },
  // WHK-02: The body has the shape that its header names.
  inDeliveries(
    ["WHK-02.shape"],
    "the body has the shape of the event in webhook-event-type",
    (body, checked) => body !== undefined && Object.hasOwn(eventSchemaNames, nameOf(checked)),
    "no JSON delivery with a known event name",
  ),
  // WHK-03: Envelope fields other than metadata.resourceId are not shown; they are accepted.
  inDeliveries(
    ["WHK-03.envelope"],
    "metadata, if present, is an object; its resourceId is a string",
    (body) => memberOf(body, "metadata") !== undefined,
    "no delivery has metadata",
  ),
  // WHK-05: transaction.created comes once per transaction and before its first transaction.updated
  // as the state describes it; both carry the same shape.
  inHistory(
    ["WHK-05.once", "WHK-05.before-updated"],
    "transaction.created is sent once, before any update",
    {
      cases: (history) => snapshotsIn(history).filter((snapshots) => snapshots.length > 1).length,
      skipReason: "no transaction created in this run changed",
    },
  ),
  announcedIfNew({
    ...{ claim: "WHK-05.owed", operation: "GET /transactions" },
    ...{ event: "transaction.created", id: "/id" },
  }),
];

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/i;

/** Checks for a complete JSON body. A missing content type is accepted. */
function bodyBreaches({ delivery }: ValidatedDelivery): Breach[] {
  const { cut, json, request } = delivery;
  const evidence = [delivery] as const;
  const expected = "a JSON body";
  if (cut !== undefined) return [{ expected, actual: cut, evidence }];
  if (json === undefined) {
    const actual = request.body === "" ? "an empty body" : "a body that is not JSON";
    return [{ expected, actual, evidence }];
  }
  // Every event is an object: a JSON string means that the body was encoded twice.
  if (typeof json === "string") return [{ expected, actual: "a JSON string", evidence }];
  const type = request.headers["content-type"]?.split(";")[0]?.trim();
  if (type === undefined || type === "" || JSON_TYPE.test(type)) return [];
  return [{ expected: "content type application/json", actual: type, evidence }];
}
