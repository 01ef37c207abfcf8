import type { Operation } from "../../../document.ts";
import {
  addProperty,
  addRequirement,
  become,
  component,
  event,
  eventBody,
  existing,
  makeRequired,
  moveKey,
  property,
  removeProperty,
  removeRequirement,
} from "../edits.ts";
import { type Doc, inEvents, type LabelledChange } from "../labelled-change.ts";

/** The header that names the event. */
function typeHeader(doc: Doc, name: string) {
  const parameters = event(doc, name).parameters ?? [];
  const found = parameters.find((parameter) => parameter.name === "webhook-event-type");
  return existing(found, `webhook-event-type of ${name}`);
}

function rename(doc: Doc, from: string, to: string): void {
  const header = typeHeader(doc, from);
  existing(header.schema, "schema").enum = [to];
  event(doc, from).operationId = to;
  moveKey(doc.webhooks, from, to);
}

function addHeader(target: Operation, name: string, required: boolean): void {
  target.parameters?.push({ name, in: "header", required, schema: { type: "string" } });
}

/** Changes of whole events: their names, headers, envelopes and requirements. */
export const deliveryChanges: readonly LabelledChange[] = [
  {
    name: "event-added",
    where: "event",
    meaning: "Consumers ignore unknown events (VER-01), but a server must send the new one.",
    edit: (doc) => {
      doc.webhooks["transaction.flagged"] = structuredClone(
        existing(doc.webhooks["transaction.updated"], "transaction.updated"),
      );
      const added = event(doc, "transaction.flagged");
      added.operationId = "transaction.flagged";
      existing(typeHeader(doc, "transaction.flagged").schema, "schema").enum = [
        "transaction.flagged",
      ];
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "event-removed",
    where: "event",
    meaning: "A consumer no longer receives the event.",
    edit: (doc) => {
      delete doc.webhooks["transaction.match.deleted"];
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "event-renamed",
    where: "event",
    meaning: "A consumer expects the old name, and a server must send the new one.",
    edit: (doc) => rename(doc, "networkbulkfeed.statechanged", "networkbulkfeed.state_changed"),
    expected: inEvents({ consumer: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "event-header-optional",
    where: "event",
    meaning: "The header that names the event may be missing.",
    edit: (doc) => {
      typeHeader(doc, "banktransaction.created").required = false;
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "event-optional-header-added",
    where: "event",
    meaning: "A delivery may have an attempt number; consumers ignore unknown headers.",
    edit: (doc) => addHeader(event(doc, "banktransaction.created"), "webhook-attempt", false),
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "event-required-header-added",
    where: "event",
    meaning: "Every delivery must have an id, which servers do not send.",
    edit: (doc) => addHeader(event(doc, "banktransaction.created"), "webhook-id", true),
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "event-media-type-changed",
    where: "event",
    meaning: "The body has another media type, which a consumer of JSON does not read.",
    edit: (doc) => {
      const { content } = existing(event(doc, "banklink.completed").requestBody, "body");
      moveKey(content, "application/json", "application/cloudevents+json");
    },
    expected: inEvents({ consumer: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "event-body-optional",
    where: "event",
    meaning: "A delivery may have no body.",
    edit: (doc) => {
      existing(event(doc, "banklink.completed").requestBody, "body").required = false;
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "event-body-wrapped",
    where: "event",
    meaning: "The payload is in `data` of an envelope.",
    edit: (doc) => {
      const body = eventBody(doc, "bankaccount.state_changed");
      const properties = { data: structuredClone(body) };
      become(body, { type: "object", required: ["data"], properties });
    },
    expected: inEvents({ consumer: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "event-metadata-field-required",
    where: "event",
    meaning: "The metadata of eleven events must name the resource, which was optional.",
    edit: (doc) => makeRequired(component(doc, "EventMetadata"), "resourceId"),
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "event-metadata-field-added",
    where: "event",
    meaning: "The metadata may have an attempt number; any other field was valid before.",
    edit: (doc) => addProperty(component(doc, "EventMetadata"), "attempt", { type: "integer" }),
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "event-metadata-values-typed",
    where: "event",
    meaning: "Other fields of the metadata must be strings; a server may send numbers.",
    edit: (doc) => {
      component(doc, "EventMetadata")["additionalProperties"] = { type: "string" };
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "event-metadata-id-format-added",
    where: "event",
    meaning: "The resource id of the metadata must be a UUID; it could be any string.",
    edit: (doc) => {
      property(component(doc, "EventMetadata"), "resourceId").format = "uuid";
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "event-metadata-removed-from-one-event",
    where: "event",
    meaning: "The optional metadata is no longer described; only code that reads it breaks.",
    edit: (doc) => removeProperty(component(doc, "MerchantEnrichmentEvent"), "metadata"),
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "event-requirement-added",
    where: "event",
    meaning: "A server is tested for a new requirement.",
    edit: (doc) => addRequirement(doc, event(doc, "transaction.updated"), "TXN-99"),
    expected: inEvents({ consumer: "none", implementer: "breaking", types: "none" }),
    isShapeBreak: false,
  },
  {
    name: "event-requirement-removed",
    where: "event",
    meaning: "A server must meet one requirement less.",
    edit: (doc) => removeRequirement(doc, "BTX-06"),
    expected: inEvents({ consumer: "none", implementer: "compatible", types: "none" }),
    isShapeBreak: false,
  },
  {
    name: "event-requirement-named-in-another-place",
    where: "event",
    meaning: "An existing requirement is added to another event.",
    edit: (doc) => event(doc, "transaction.created")["x-requirements"]?.push("TXN-11"),
    expected: inEvents({ consumer: "none", implementer: "none", types: "none" }),
    isShapeBreak: false,
  },
];
