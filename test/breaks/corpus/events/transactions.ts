import {
  addProperty,
  allowNull,
  become,
  component,
  makeOptional,
  makeRequired,
  ownProperty,
  property,
  refTo,
  removeProperty,
  renameProperty,
} from "../edits.ts";
import { inEvents, type LabelledChange } from "../labelled-change.ts";

/** Changes of `transaction.created`, `transaction.updated` and `transactionmessage.created`. */
export const transactionChanges: readonly LabelledChange[] = [
  {
    name: "transaction-event-optional-field-added",
    where: "event",
    meaning: "A new optional field breaks no one, because unknown fields are accepted.",
    edit: (doc) => addProperty(component(doc, "TransactionEvent"), "note", { type: "string" }),
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "transaction-event-required-field-added",
    where: "event",
    meaning: "A server that does not send the new guaranteed field fails the new contract.",
    edit: (doc) =>
      addProperty(component(doc, "TransactionEvent"), "riskScore", { type: "number" }, "required"),
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "transaction-event-required-field-removed",
    where: "event",
    meaning: "A consumer that relies on the guaranteed descriptor no longer receives it.",
    edit: (doc) => removeProperty(component(doc, "TransactionEvent"), "descriptor"),
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "transaction-event-optional-field-removed",
    where: "event",
    meaning: "_embedded could be absent, so only code that reads it breaks.",
    edit: (doc) => removeProperty(component(doc, "TransactionEvent"), "_embedded"),
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "transaction-event-field-made-optional",
    where: "event",
    meaning: "The descriptor may be absent, which was guaranteed.",
    edit: (doc) => makeOptional(component(doc, "TransactionEvent"), "descriptor"),
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "transaction-event-field-made-required",
    where: "event",
    meaning: "A server that sends no _embedded was correct and now fails.",
    edit: (doc) => makeRequired(component(doc, "TransactionEvent"), "_embedded"),
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "transaction-event-null-refused",
    where: "event",
    meaning: "cardId is always a string; a server that sends null fails.",
    edit: (doc) => {
      property(component(doc, "TransactionEvent"), "cardId").type = "string";
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "transaction-event-null-allowed",
    where: "event",
    meaning: "The descriptor may be null, which consumers do not expect.",
    edit: (doc) => allowNull(property(component(doc, "TransactionEvent"), "descriptor")),
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "transaction-event-open-value-added",
    where: "event",
    meaning: "The open set of statuses has one more known value; consumers had to accept any.",
    edit: (doc) => {
      const status = ownProperty(doc, "TransactionEvent", "status");
      status["x-extensible-enum"] = ["PENDING", "SETTLED", "REVERSED"];
    },
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "transaction-event-open-value-no-longer-shown",
    where: "event",
    meaning: "The open set of statuses no longer has PENDING; a server may still send it.",
    edit: (doc) => {
      ownProperty(doc, "TransactionEvent", "status")["x-extensible-enum"] = ["SETTLED"];
    },
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "transaction-event-open-set-closed",
    where: "event",
    meaning: "Only the two known statuses are allowed; a server may send others.",
    edit: (doc) => {
      const status = ownProperty(doc, "TransactionEvent", "status");
      become(status, { type: "string", enum: ["PENDING", "SETTLED"] });
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "transaction-event-open-pattern-closed",
    where: "event",
    meaning: "The transaction type must match the pattern, which was not binding before.",
    edit: (doc) => {
      const type = property(component(doc, "TransactionEvent"), "transactionType");
      become(type, { type: "string", pattern: "^DEBIT_[0-9]{2}$" });
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "transaction-event-open-pattern-changed",
    where: "event",
    meaning: "The open set of transaction types also has credits; any string was valid before.",
    edit: (doc) => {
      const type = property(component(doc, "TransactionEvent"), "transactionType");
      type["x-extensible-pattern"] = "^(DEBIT|CREDIT)_[0-9]{2}$";
    },
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "none" }),
    isShapeBreak: false,
  },
  {
    name: "transaction-event-number-becomes-string",
    where: "event",
    meaning: "The hold amount becomes a string: no value is valid in both contracts.",
    edit: (doc) => {
      const amount = ownProperty(doc, "TransactionEvent", "transactionHoldAmount");
      become(amount, { type: "string" });
    },
    expected: inEvents({ consumer: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "transaction-event-field-moved",
    where: "event",
    meaning: "The acceptor's country moves to the top level: one of the two is always missing.",
    edit: (doc) => {
      removeProperty(ownProperty(doc, "TransactionEvent", "acceptor"), "country");
      const schema = component(doc, "TransactionEvent");
      addProperty(schema, "acceptorCountry", { type: "string" }, "required");
    },
    expected: inEvents({ consumer: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "transaction-event-array-length-limited",
    where: "event",
    meaning: "At most ten superseded ids are allowed; a server may send more.",
    edit: (doc) => {
      property(component(doc, "TransactionEvent"), "supersededMessageIds")["maxItems"] = 10;
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "transaction-event-array-items-unique",
    where: "event",
    meaning: "The superseded ids must be unique; a server may send duplicates.",
    edit: (doc) => {
      property(component(doc, "TransactionEvent"), "supersededMessageIds")["uniqueItems"] = true;
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "transaction-event-array-becomes-object",
    where: "event",
    meaning: "The superseded ids become the keys of an object instead of an array.",
    edit: (doc) => {
      const ids = property(component(doc, "TransactionEvent"), "supersededMessageIds");
      become(ids, { type: "object", additionalProperties: { type: "boolean" } });
    },
    expected: inEvents({ consumer: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "transaction-event-link-removed",
    where: "event",
    meaning: "The guaranteed link to the subaccount is removed.",
    edit: (doc) => removeProperty(ownProperty(doc, "TransactionEvent", "_links"), "subaccount"),
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "transaction-event-optional-link-added",
    where: "event",
    meaning: "A transaction may have a link to a receipt; consumers ignore unknown links.",
    edit: (doc) =>
      addProperty(ownProperty(doc, "TransactionEvent", "_links"), "receipt", refTo("Link")),
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "compatible" }),
    isShapeBreak: false,
  },
  {
    name: "transaction-event-link-becomes-text",
    where: "event",
    meaning: "The self link is a path instead of an object with href.",
    edit: (doc) => {
      const links = ownProperty(doc, "TransactionEvent", "_links");
      become(property(links, "self"), { type: "string" });
    },
    expected: inEvents({ consumer: "breaking", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
  {
    name: "message-event-pattern-loosened",
    where: "event",
    meaning: "A traceId may have letters, which a consumer of digits cannot read.",
    edit: (doc) => {
      property(component(doc, "TransactionMessageEvent"), "traceId")["pattern"] = "^[0-9A-Z]+$";
    },
    expected: inEvents({ consumer: "breaking", implementer: "compatible", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "message-event-optional-field-renamed",
    where: "event",
    meaning: "The optional approvalCode has another name; only code that reads it breaks.",
    edit: (doc) =>
      renameProperty(component(doc, "TransactionMessageEvent"), "approvalCode", "authorization"),
    expected: inEvents({ consumer: "compatible", implementer: "compatible", types: "breaking" }),
    isShapeBreak: false,
  },
  {
    name: "message-event-local-time-becomes-utc",
    where: "event",
    meaning: "The optional dateTime has a zone: no value is valid in both contracts.",
    edit: (doc) => {
      const { properties = {} } = component(doc, "TransactionMessageEvent");
      properties["dateTime"] = refTo("Timestamp");
    },
    expected: inEvents({ consumer: "breaking", implementer: "breaking", types: "none" }),
    isShapeBreak: true,
  },
  {
    name: "message-event-null-branch-removed",
    where: "event",
    meaning: "bankData may be absent, but no longer null.",
    edit: (doc) => {
      const { properties = {} } = component(doc, "TransactionMessageEvent");
      properties["bankData"] = refTo("BankData");
    },
    expected: inEvents({ consumer: "compatible", implementer: "breaking", types: "breaking" }),
    isShapeBreak: true,
  },
];
