import {
  addProperty,
  become,
  component,
  makeOptional,
  makeRequired,
  ownProperty,
  property,
  removeProperty,
} from "../edits.ts";
import { inEvents, type LabelledChange } from "../labelled-change.ts";

/** Changes of the events of bank links, bank accounts and bank transactions. */
export const bankDataChanges: readonly LabelledChange[] = [
  {
    name: "account-event-closed-set-extended",
    where: "event",
    meaning: "A bank account may be in a fourth state, which consumers do not know.",
    edit: (doc) => component(doc, "BankAccountState").enum?.push("expired"),
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "account-event-closed-set-reduced",
    where: "event",
    meaning: "A server that announces a disconnected account fails the new contract.",
    edit: (doc) => {
      component(doc, "BankAccountState").enum = ["active", "auth_required"];
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "account-event-closed-set-opened",
    where: "event",
    meaning: "The state may be any value; consumers know three.",
    edit: (doc) => {
      const state = component(doc, "BankAccountState");
      become(state, { type: "string", "x-extensible-enum": state.enum });
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "account-event-format-dropped",
    where: "event",
    meaning: "expiresAt may be any string, which a consumer of timestamps cannot read.",
    edit: (doc) => {
      const expiresAt = property(component(doc, "BankAccountStateEvent"), "expiresAt");
      become(expiresAt, { type: ["string", "null"] });
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "account-event-nullable-open-value-added",
    where: "event",
    meaning: "The open set of reasons has one more known value; consumers had to accept any.",
    edit: (doc) => {
      const reason = property(component(doc, "BankAccountStateEvent"), "reason");
      reason["x-extensible-enum"] = ["consent_expiring", "consent_revoked"];
    },
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "link-event-deep-pattern-turned",
    where: "event",
    meaning: "A minted card's network is in upper case: no value is valid in both contracts.",
    edit: (doc) => {
      property(component(doc, "MintedCard"), "network")["pattern"] = "^[A-Z]+$";
    },
    expected: inEvents({ consumer: "breaking", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "link-event-deep-pattern-loosened",
    where: "event",
    meaning: "The masked account number may have two or three digits.",
    edit: (doc) => {
      ownProperty(doc, "LinkedBankAccount", "mask")["pattern"] = "^[0-9]{2,4}$";
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "link-event-item-field-required",
    where: "event",
    meaning: "Each bank account must list its minted cards; a server may omit them.",
    edit: (doc) => makeRequired(component(doc, "LinkedBankAccount"), "cards"),
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "link-event-item-open-value-added",
    where: "event",
    meaning: "The open set of account types has one more known value.",
    edit: (doc) => {
      component(doc, "BankAccountType")["x-extensible-enum"] = ["credit", "depository"];
    },
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "link-event-array-not-empty",
    where: "event",
    meaning: "A link must have at least one account; a server may send an empty array.",
    edit: (doc) => {
      property(component(doc, "BankLinkCompletedEvent"), "bankAccounts")["minItems"] = 1;
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "link-event-array-becomes-one-object",
    where: "event",
    meaning: "bankAccounts is one object instead of an array of them.",
    edit: (doc) => {
      const accounts = property(component(doc, "BankLinkCompletedEvent"), "bankAccounts");
      become(accounts, { $ref: "#/components/schemas/LinkedBankAccount" });
    },
    expected: inEvents({ consumer: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "posting-event-bound-included",
    where: "event",
    meaning: "An amount of 0 is allowed, which was excluded before.",
    edit: (doc) => {
      const amount = property(component(doc, "BankTransactionEvent"), "amount");
      delete amount["exclusiveMinimum"];
      amount["minimum"] = 0;
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "posting-event-maximum-added",
    where: "event",
    meaning: "Amounts above a million are invalid; a server may send them.",
    edit: (doc) => {
      property(component(doc, "BankTransactionEvent"), "amount")["maximum"] = 1_000_000;
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "posting-event-date-becomes-timestamp",
    where: "event",
    meaning: "The date becomes a timestamp: no value is valid in both contracts.",
    edit: (doc) => {
      const { properties = {} } = component(doc, "BankTransactionEvent");
      properties["date"] = { $ref: "#/components/schemas/Timestamp" };
    },
    expected: inEvents({ consumer: "breaking", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "posting-event-boolean-removed",
    where: "event",
    meaning: "A consumer no longer learns whether a posting is pending.",
    edit: (doc) => removeProperty(component(doc, "BankTransactionEvent"), "pending"),
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "posting-event-text-becomes-array",
    where: "event",
    meaning: "The category is an array as in the REST resource, not a string or null.",
    edit: (doc) => {
      const category = property(component(doc, "BankTransactionEvent"), "category");
      become(category, { type: "array", items: { type: "string" } });
    },
    expected: inEvents({ consumer: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "posting-event-currency-pattern-added",
    where: "event",
    meaning: "The currency must be three capital letters; a server may send other strings.",
    edit: (doc) => {
      ownProperty(doc, "BankTransactionEvent", "currency")["pattern"] = "^[A-Z]{3}$";
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "posting-event-optional-closed-set-added",
    where: "event",
    meaning: "A new optional field has a closed set; no existing code sends or reads it.",
    edit: (doc) => {
      const channel = { type: "string", enum: ["online", "in_store"] };
      addProperty(component(doc, "BankTransactionEvent"), "paymentChannel", channel);
    },
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "posting-event-value-nullable-boolean",
    where: "event",
    meaning: "pending may be null if the bank does not provide it.",
    edit: (doc) => {
      property(component(doc, "BankTransactionEvent"), "pending").type = ["boolean", "null"];
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "deletion-event-metadata-optional-id",
    where: "event",
    meaning: "The envelope's resourceId is no longer guaranteed.",
    edit: (doc) => makeOptional(component(doc, "BankTransactionDeletedMetadata"), "resourceId"),
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "deletion-event-metadata-closed",
    where: "event",
    meaning: "The envelope has only resourceId; a server may send more.",
    edit: (doc) => {
      component(doc, "BankTransactionDeletedMetadata")["additionalProperties"] = false;
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "deletion-event-closed",
    where: "event",
    meaning: "The event forbids unknown fields, which a server may send. The types do not change.",
    edit: (doc) => {
      component(doc, "BankTransactionDeletedEvent")["additionalProperties"] = false;
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "deletion-event-closed-value-renamed",
    where: "event",
    meaning: "provider_removed becomes removed_by_provider: neither side knows the other's value.",
    edit: (doc) => {
      const reason = component(doc, "BankTransactionDeletionReason");
      reason.enum = ["removed_by_provider", "duplicate_retired"];
    },
    expected: inEvents({ consumer: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
];
