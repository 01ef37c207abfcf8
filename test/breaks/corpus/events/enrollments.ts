import type { Schema } from "../../../document.ts";
import {
  addProperty,
  allowNull,
  become,
  component,
  eventBody,
  existing,
  inline,
  makeOptional,
  ownProperty,
  property,
  refTo,
  removeProperty,
} from "../edits.ts";
import { type Doc, inEvents, type LabelledChange } from "../labelled-change.ts";

const VARIANTS = ["CardholderSingle", "NetworkBulk", "BankFeed"].map(
  (name) => `${name}SubscriptionEvent`,
);

/** The mapping of the discriminator of the subscription events. */
function mapping(doc: Doc): Record<string, string> {
  const { discriminator } = component(doc, "CardSubscriptionEvent");
  return (discriminator as { mapping: Record<string, string> }).mapping;
}

/** Gives `cardsubscription.updated` its own schema; returns the variant for bank feeds. */
function ownBankFeedVariant(doc: Doc): Schema {
  const { schemas } = doc.components;
  const body = eventBody(doc, "cardsubscription.updated");
  const updated = structuredClone(component(doc, "CardSubscriptionEvent"));
  const variant = structuredClone(component(doc, "BankFeedSubscriptionEvent"));
  Object.assign(schemas, { SubscriptionUpdated: updated, BankFeedUpdated: variant });
  updated.oneOf = [...(updated.oneOf ?? []).slice(0, 2), refTo("BankFeedUpdated")];
  const { mapping } = updated["discriminator"] as { mapping: Record<string, string> };
  mapping["bank-feed"] = "#/components/schemas/BankFeedUpdated";
  body.$ref = "#/components/schemas/SubscriptionUpdated";
  return variant;
}

/** Changes of the events of card subscriptions and of bulk feeds. */
export const enrollmentChanges: readonly LabelledChange[] = [
  {
    name: "subscription-event-variant-added",
    where: "event",
    meaning: "A consumer receives a subscription of an unknown enrollment type.",
    edit: (doc) => {
      const variant = structuredClone(component(doc, "CardholderSingleSubscriptionEvent"));
      property(variant, "enrollmentType").enum = ["virtual"];
      doc.components.schemas["VirtualSubscriptionEvent"] = variant;
      component(doc, "CardSubscriptionEvent").oneOf?.push(refTo("VirtualSubscriptionEvent"));
      mapping(doc)["virtual"] = "#/components/schemas/VirtualSubscriptionEvent";
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "subscription-event-variant-removed",
    where: "event",
    meaning: "A server that announces cards of bank feeds fails the new contract.",
    edit: (doc) => {
      component(doc, "CardSubscriptionEvent").oneOf?.pop();
      delete mapping(doc)["bank-feed"];
      delete doc.components.schemas["BankFeedSubscriptionEvent"];
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "subscription-event-variant-renamed",
    where: "event",
    meaning:
      "cardholder-single becomes cardholder: no such subscription is valid in both contracts.",
    edit: (doc) => {
      const variant = component(doc, "CardholderSingleSubscriptionEvent");
      property(variant, "enrollmentType").enum = ["cardholder"];
      delete mapping(doc)["cardholder-single"];
      mapping(doc)["cardholder"] = "#/components/schemas/CardholderSingleSubscriptionEvent";
    },
    expected: inEvents({ consumer: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "subscription-event-null-in-one-variant",
    where: "event",
    meaning: "A bulk subscription may omit its feed id, which was guaranteed in this variant.",
    edit: (doc) => {
      allowNull(ownProperty(doc, "NetworkBulkSubscriptionEvent", "networkBulkFeedId"));
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "subscription-event-length-in-one-variant",
    where: "event",
    meaning: "References of cards enrolled by their holder have at most 64 characters.",
    edit: (doc) => {
      const variant = component(doc, "CardholderSingleSubscriptionEvent");
      property(variant, "customerReferenceId")["maxLength"] = 64;
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "subscription-event-optional-field-in-one-variant",
    where: "event",
    meaning: "One variant gets a new optional field; consumers ignore unknown fields.",
    edit: (doc) =>
      addProperty(component(doc, "BankFeedSubscriptionEvent"), "bankName", { type: "string" }),
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "subscription-event-null-in-all-variants",
    where: "event",
    meaning: "A subscription may have no end: expirationDate may be null.",
    edit: (doc) => {
      for (const name of VARIANTS) allowNull(ownProperty(doc, name, "expirationDate"));
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "subscription-updated-variant-field-optional",
    where: "event",
    meaning: "Only in cardsubscription.updated, a bank feed's card may omit its bank account.",
    edit: (doc) => makeOptional(ownBankFeedVariant(doc), "bankAccountId"),
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "subscription-updated-variant-field-added",
    where: "event",
    meaning: "Only in cardsubscription.updated, a bank feed's card may have a new field.",
    edit: (doc) => addProperty(ownBankFeedVariant(doc), "syncedAt", refTo("Timestamp")),
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "subscription-updated-schema-copied",
    where: "event",
    meaning: "cardsubscription.updated gets its own components with equal schemas.",
    edit: (doc) => void ownBankFeedVariant(doc),
    expected: { consumer: "none", caller: "none", implementer: "none", types: "none" },
    isShapeBreak: false,
  },
  {
    name: "feed-event-integer-becomes-number",
    where: "event",
    meaning: "The card count may have a fraction, which a consumer of integers cannot read.",
    edit: (doc) => {
      property(component(doc, "NetworkBulkFeedEvent"), "expectedCardCount").type = "number";
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "feed-event-minimum-raised",
    where: "event",
    meaning: "A feed must expect at least one card; a server may send 0.",
    edit: (doc) => {
      property(component(doc, "NetworkBulkFeedEvent"), "expectedCardCount")["minimum"] = 1;
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "feed-event-minimum-dropped",
    where: "event",
    meaning: "The card count may be negative, which a consumer does not expect.",
    edit: (doc) => {
      delete property(component(doc, "NetworkBulkFeedEvent"), "expectedCardCount")["minimum"];
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "feed-event-optional-text-becomes-closed-set",
    where: "event",
    meaning: "The optional error reason is one of two values; a server may send any string.",
    edit: (doc) => {
      const reason = property(component(doc, "NetworkBulkFeedEvent"), "errorReason");
      reason.enum = ["rejected", "expired"];
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "feed-event-text-becomes-open-set",
    where: "event",
    meaning: "The network reference has known values, but any other is still valid.",
    edit: (doc) => {
      const reference = property(component(doc, "NetworkBulkFeedEvent"), "networkReference");
      reference["x-extensible-enum"] = ["UNKNOWN"];
    },
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "feed-event-fields-nested",
    where: "event",
    meaning: "oldState and newState move into a new object.",
    edit: (doc) => {
      const schema = component(doc, "NetworkBulkFeedEvent");
      const states: Schema = { type: "object", required: ["old", "new"] };
      const [old, next] = ["oldState", "newState"].map((name) => property(schema, name));
      states.properties = {
        old: existing(old, "oldState"),
        new: existing(next, "newState"),
      };
      for (const name of ["oldState", "newState"]) removeProperty(schema, name);
      addProperty(schema, "states", states, "required");
    },
    expected: inEvents({ consumer: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "feed-event-closed-with-all-links",
    where: "event",
    meaning: "The links of a feed's event allow only self; a server may send more.",
    edit: (doc) => {
      const links = property(component(doc, "NetworkBulkFeedEvent"), "_links");
      inline(doc, links)["additionalProperties"] = false;
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "feed-event-constant-instead-of-text",
    where: "event",
    meaning: "The old state is always submitted; a server may send others.",
    edit: (doc) => {
      const state = ownProperty(doc, "NetworkBulkFeedEvent", "oldState");
      become(state, { const: "submitted" });
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
];
