import type { Schema } from "../../../document.ts";
import {
  become,
  component,
  event,
  existing,
  ownProperty,
  property,
  refTo,
  renameComponent,
  visitObjects,
} from "../edits.ts";
import { inEvents, type LabelledChange, NONE } from "../labelled-change.ts";

const reversed = <T>(map: Record<string, T>) =>
  Object.fromEntries(Object.entries(map).reverse()) as Record<string, T>;

const WORDS: readonly LabelledChange[] = [
  {
    name: "event-words-changed",
    where: "event",
    meaning: "Summary and descriptions of an event are reworded.",
    edit: (doc) => {
      const changed = event(doc, "transaction.updated");
      Object.assign(changed, { summary: "A transaction changed", description: "New text." });
      component(doc, "TransactionEvent").description = "Other words.";
      property(component(doc, "TransactionEvent"), "descriptor")["title"] = "Descriptor";
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "event-examples-removed",
    where: "event",
    meaning: "The examples of an event are removed.",
    edit: (doc) => {
      const { content = {} } = event(doc, "transaction.match.created").requestBody ?? {};
      delete content["application/json"]?.examples;
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "event-field-deprecated",
    where: "event",
    meaning: "A field is marked as deprecated; it is sent as before.",
    edit: (doc) => {
      property(component(doc, "TransactionEvent"), "descriptor")["deprecated"] = true;
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "event-tagged-otherwise",
    where: "event",
    meaning: "An event has another tag.",
    edit: (doc) => {
      event(doc, "banktransaction.deleted").tags = ["Bank accounts"];
    },
    expected: NONE,
    isShapeBreak: false,
  },
];

const FORMS: readonly LabelledChange[] = [
  {
    name: "event-component-renamed",
    where: "event",
    meaning: "Components have other names, also in a discriminator mapping.",
    edit: (doc) => {
      renameComponent(doc, "TransactionEvent", "TransactionSnapshot");
      renameComponent(doc, "BankFeedSubscriptionEvent", "MintedSubscriptionEvent");
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "event-reference-inlined",
    where: "event",
    meaning: "A component's schema is inlined.",
    edit: (doc) => void ownProperty(doc, "BankLinkCompletedEvent", "bankLinkId"),
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "event-schema-extracted",
    where: "event",
    meaning: "An inline schema becomes a component.",
    edit: (doc) => {
      const { properties = {} } = component(doc, "MintedCard");
      doc.components.schemas["MintedNetwork"] = existing(properties["network"], "network");
      properties["network"] = refTo("MintedNetwork");
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "event-null-as-any-of",
    where: "event",
    meaning: "A nullable string is written as anyOf of string and null.",
    edit: (doc) => {
      const merchant = property(component(doc, "BankTransactionEvent"), "merchantName");
      become(merchant, { anyOf: [{ type: "string" }, { type: "null" }] });
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "event-null-with-pattern-as-any-of",
    where: "event",
    meaning:
      "A nullable id is written as anyOf of the id's component, with the same pattern, and null.",
    edit: (doc) => {
      const card = property(component(doc, "TransactionEvent"), "cardId");
      become(card, { anyOf: [refTo("Id"), { type: "null" }] });
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "event-null-as-one-of",
    where: "event",
    meaning: "The nullable bankData is written with oneOf: an object is never null.",
    edit: (doc) => {
      const bankData = property(component(doc, "TransactionMessageEvent"), "bankData");
      become(bankData, { oneOf: [refTo("BankData"), { type: "null" }] });
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "event-constant-for-one-value",
    where: "event",
    meaning: "Sets of one value are written as const.",
    edit: (doc) => {
      const type = property(component(doc, "MintedCard"), "enrollmentType");
      become(type, { type: "string", const: "bank-feed" });
      const [header] = event(doc, "banklink.completed").parameters ?? [];
      become(header?.schema ?? {}, { const: "banklink.completed" });
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "event-set-as-one-of-constants",
    where: "event",
    meaning: "A closed set is written as oneOf of constants.",
    edit: (doc) => {
      const values = component(doc, "DebitOrCredit").enum ?? [];
      become(component(doc, "DebitOrCredit"), { oneOf: values.map((value) => ({ const: value })) });
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "event-all-of-one",
    where: "event",
    meaning: "A reference is wrapped in allOf without other keywords.",
    edit: (doc) => {
      const card = property(component(doc, "TransactionMatchEvent"), "cardTransaction");
      become(card, { allOf: [refTo("MatchedCardTransaction")] });
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "event-members-in-another-order",
    where: "event",
    meaning: "Properties, required names, values of sets and variants are in another order.",
    edit: (doc) => {
      for (const name of ["TransactionMatchEvent", "Confidence", "CardSubscriptionEvent"]) {
        visitObjects(component(doc, name), (object) => {
          for (const [key, value] of Object.entries(object)) {
            if (Array.isArray(value) && key !== "x-requirements") value.reverse();
          }
        });
      }
      const schema = component(doc, "TransactionMatchEvent");
      schema.properties = reversed(schema.properties ?? {});
      doc.webhooks = reversed(doc.webhooks);
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "event-type-in-an-array-of-one",
    where: "event",
    meaning: "A type is written as an array with one name, and null before string.",
    edit: (doc) => {
      property(component(doc, "TransactionEvent"), "descriptor").type = ["string"];
      property(component(doc, "BankTransactionEvent"), "merchantName").type = ["null", "string"];
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "event-integer-bound-as-exclusive",
    where: "event",
    meaning: "At least 0 is written as more than -1, which is equal for integers.",
    edit: (doc) => {
      const count = property(component(doc, "NetworkBulkFeedEvent"), "expectedCardCount");
      become(count, { type: "integer", exclusiveMinimum: -1 });
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "event-defaults-written-out",
    where: "event",
    meaning: "Keywords are added with their default values.",
    edit: (doc) => {
      const schema = component(doc, "BankLinkCompletedEvent");
      Object.assign(property(schema, "bankAccounts"), { minItems: 0, uniqueItems: false });
      const name = property(component(doc, "LinkedBankAccount"), "name");
      Object.assign(name, { minLength: 0, deprecated: false });
      schema["minProperties"] = 0;
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "event-unknown-fields-allowed-in-words",
    where: "event",
    meaning: "Unknown fields are allowed explicitly instead of by default; only the types change.",
    edit: (doc) => {
      component(doc, "BankAccountStateEvent")["additionalProperties"] = true;
    },
    expected: inEvents({ consumer: "none", implementer: "none", types: "compatible" }),
    isShapeBreak: false,
  },
];

/** The assertions differ, but accept the same values. */
const SAME_VALUES: readonly LabelledChange[] = [
  {
    name: "event-pattern-in-other-words",
    where: "event",
    meaning: "The pattern of four digits is written with \\d and accepts the same strings.",
    edit: (doc) => {
      component(doc, "LastFourDigits")["pattern"] = "^\\d{4}$";
    },
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "none" }),
    isShapeBreak: false,
  },
  {
    name: "event-length-that-the-pattern-implies",
    where: "event",
    meaning: "At most four characters, which the pattern of four digits already implies.",
    edit: (doc) => {
      component(doc, "LastFourDigits")["maxLength"] = 4;
    },
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "none" }),
    isShapeBreak: false,
  },
  {
    name: "event-minimum-that-another-implies",
    where: "event",
    meaning: "At least 0 in addition to more than 0 excludes nothing new.",
    edit: (doc) => {
      property(component(doc, "BankTransactionEvent"), "amount")["minimum"] = 0;
    },
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "none" }),
    isShapeBreak: false,
  },
  {
    name: "event-format-that-the-pattern-implies",
    where: "event",
    meaning: "The format of expiresAt is removed; its pattern accepts only timestamps.",
    edit: (doc) => {
      delete property(component(doc, "BankAccountStateEvent"), "expiresAt").format;
    },
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "none" }),
    isShapeBreak: false,
  },
  {
    name: "event-branch-that-another-includes",
    where: "event",
    meaning: "bankData also allows bank data with another required field, which was already valid.",
    edit: (doc) => {
      const bankData = property(component(doc, "TransactionMessageEvent"), "bankData");
      const { required = [] } = component(doc, "BankData");
      const narrower: Schema = structuredClone(component(doc, "BankData"));
      narrower.required = [...required, "accountName"];
      narrower.properties = { ...narrower.properties, accountName: { type: "string" } };
      bankData.anyOf?.push(narrower);
    },
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
];

export const equalEventForms: readonly LabelledChange[] = [...WORDS, ...FORMS, ...SAME_VALUES];
