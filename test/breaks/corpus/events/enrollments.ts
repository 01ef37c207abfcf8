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

/** Gives `cardsubscription.updated` a schema of its own; returns its variant for bank feeds. */
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
    meaning: "A consumer receives a subscription of an enrollment type that it does not know.",
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
    meaning: "cardholder-single is called cardholder: no such subscription is right in both.",
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
    meaning: "A bulk subscription may have no feed id, which was guaranteed in this variant.",
    edit: (doc) => {
      allowNull(ownProperty(doc, "NetworkBulkSubscriptionEvent", "networkBulkFeedId"));
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "subscription-event-length-in-one-variant",
    where: "event",
    meaning: "References of cards enrolled by their holder have at most 64 characters now.",
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
    meaning: "One variant gets a new optional field; it is unknown to the others and ignored.",
    edit: (doc) =>
      addProperty(component(doc, "BankFeedSubscriptionEvent"), "bankName", { type: "string" }),
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "subscription-event-null-in-all-variants",
    where: "event",
    meaning: "A subscription may be without end: expirationDate may be null.",
    edit: (doc) => {
      for (const name of VARIANTS) allowNull(ownProperty(doc, name, "expirationDate"));
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "subscription-updated-variant-field-optional",
    where: "event",
    meaning: "In cardsubscription.updated alone, a bank feed's card may miss its bank account.",
    edit: (doc) => makeOptional(ownBankFeedVariant(doc), "bankAccountId"),
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "subscription-updated-variant-field-added",
    where: "event",
    meaning: "In cardsubscription.updated alone, a bank feed's card may have a new field.",
    edit: (doc) => addProperty(ownBankFeedVariant(doc), "syncedAt", refTo("Timestamp")),
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "subscription-updated-schema-copied",
    where: "event",
    meaning: "cardsubscription.updated gets components of its own that say the same.",
    edit: (doc) => void ownBankFeedVariant(doc),
    expected: { consumer: "none", caller: "none", implementer: "none", types: "none" },
    isShapeBreak: false,
  },
  {
    name: "feed-event-integer-becomes-number",
    where: "event",
    meaning: "The card count may have a fraction, which a consumer of integers refuses.",
    edit: (doc) => {
      property(component(doc, "NetworkBulkFeedEvent"), "expectedCardCount").type = "number";
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "feed-event-minimum-raised",
    where: "event",
    meaning: "A feed must expect one card at least; a server may have sent 0.",
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
    meaning: "The optional error reason is one of two values; a server may have sent any text.",
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
    meaning: "The network reference shows known values, but any other is still allowed.",
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
    meaning: "oldState and newState move into an object of their own.",
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
    meaning: "The links of a feed's event admit only self; a server may have sent more.",
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
    meaning: "The old state is always submitted; a server may have sent others.",
    edit: (doc) => {
      const state = ownProperty(doc, "NetworkBulkFeedEvent", "oldState");
      become(state, { const: "submitted" });
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
];
