import {
  addProperty,
  allowNull,
  become,
  component,
  makeOptional,
  ownProperty,
  property,
  removeProperty,
  renameProperty,
} from "../edits.ts";
import { inEvents, type LabelledChange } from "../labelled-change.ts";

/** Changes of the events of matches and of enrichments. */
export const matchChanges: readonly LabelledChange[] = [
  {
    name: "match-event-closed-set-extended",
    where: "event",
    meaning: "There is a fourth confidence, which consumers do not know.",
    edit: (doc) => component(doc, "Confidence").enum?.push("NONE"),
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "match-event-number-becomes-integer",
    where: "event",
    meaning: "The score is an integer; a server may send 0.87.",
    edit: (doc) => {
      property(component(doc, "TransactionMatchEvent"), "score").type = "integer";
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "match-event-range-limited",
    where: "event",
    meaning: "The score is at most 1; the old contract set no limit.",
    edit: (doc) => {
      property(component(doc, "TransactionMatchEvent"), "score")["maximum"] = 1;
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "match-event-id-renamed",
    where: "event",
    meaning: "matchId becomes id, as in the REST resource: one of them is always missing.",
    edit: (doc) => renameProperty(component(doc, "TransactionMatchEvent"), "matchId", "id"),
    expected: inEvents({ consumer: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "match-event-item-field-optional",
    where: "event",
    meaning: "A reason may omit its message, which was guaranteed.",
    edit: (doc) => makeOptional(component(doc, "MatchReason"), "message"),
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "match-event-item-open-value-added",
    where: "event",
    meaning: "The open set of factors has one more known value.",
    edit: (doc) => {
      const factor = component(doc, "MatchFactor");
      factor["x-extensible-enum"] = ["Amount", "Date", "Merchant", "Location"];
    },
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "match-event-any-value-becomes-typed",
    where: "event",
    meaning: "diff is a number or null; it could have any type before.",
    edit: (doc) => {
      property(component(doc, "MatchReason"), "diff").type = ["number", "null"];
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "match-event-array-removed",
    where: "event",
    meaning: "The reasons of a match, which were guaranteed, are removed.",
    edit: (doc) => removeProperty(component(doc, "TransactionMatchEvent"), "reasons"),
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "match-event-nested-optional-field-added",
    where: "event",
    meaning: "The card side of a match may name the network; consumers ignore unknown fields.",
    edit: (doc) =>
      addProperty(component(doc, "MatchedCardTransaction"), "network", { type: "string" }),
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "match-event-nested-null-allowed",
    where: "event",
    meaning: "The card side of a match may have no card: cardId may be null.",
    edit: (doc) => allowNull(ownProperty(doc, "MatchedCardTransaction", "cardId")),
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "match-deletion-closed-set-reduced",
    where: "event",
    meaning: "A server that retracts a match because of a better one fails.",
    edit: (doc) => {
      component(doc, "MatchDeletionReason").enum = ["bank_transaction_retired"];
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "match-deletion-item-becomes-array",
    where: "event",
    meaning: "bankTransactionId is an array of ids.",
    edit: (doc) => {
      const id = property(component(doc, "TransactionMatchDeletedEvent"), "bankTransactionId");
      become(id, { type: "array", items: { $ref: "#/components/schemas/Id" } });
    },
    expected: inEvents({ consumer: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "enrichment-event-nested-null-allowed",
    where: "event",
    meaning: "A merchant's state or region may be null.",
    edit: (doc) => allowNull(property(component(doc, "EnrichedLocation"), "state")),
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "enrichment-event-link-made-optional",
    where: "event",
    meaning: "A merchant may omit its logo link, which was guaranteed.",
    edit: (doc) => makeOptional(component(doc, "EnrichmentLinks"), "merchant-logo"),
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "enrichment-event-length-raised",
    where: "event",
    meaning: "URLs may have 4,096 characters; consumers expect at most 2,048.",
    edit: (doc) => {
      component(doc, "ExternalAddress")["maxLength"] = 4096;
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "enrichment-event-length-lowered",
    where: "event",
    meaning: "URLs may have 1,024 characters; a server may send longer ones.",
    edit: (doc) => {
      component(doc, "ExternalAddress")["maxLength"] = 1024;
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "enrichment-event-format-dropped",
    where: "event",
    meaning: "A URL need not be a URI: the remaining pattern accepts more than the format.",
    edit: (doc) => {
      delete component(doc, "ExternalAddress").format;
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "enrichment-event-pattern-added",
    where: "event",
    meaning: "A postal code has five digits; a server may send other strings.",
    edit: (doc) => {
      property(component(doc, "EnrichedLocation"), "postalCode")["pattern"] = "^[0-9]{5}$";
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
];
