import {
  addProperty,
  allowNull,
  become,
  component,
  makeOptional,
  property,
  refTo,
  removeProperty,
  renameComponent,
  renameProperty,
} from "./edits.ts";
import { type LabelledChange, NONE, type Verdicts } from "./labelled-change.ts";

type Wire = Omit<Verdicts, "types">;

const COMPATIBLE: Wire = {
  ...{ consumer: "compatible", caller: "compatible", implementer: "compatible" },
};

/** Received data may be invalid by the old contract. */
const LOOSENED: Wire = { consumer: "breaking", caller: "breaking", implementer: "compatible" };

/** Data sent by the old contract may be invalid by the new one. */
const TIGHTENED: Wire = {
  consumer: "compatible",
  caller: "compatible",
  implementer: "breaking",
};

const REPLACED: Wire = { consumer: "breaking", caller: "breaking", implementer: "breaking" };

/** Changes of components that events and operations share. */
export const sharedChanges: readonly LabelledChange[] = [
  {
    name: "shared-amount-bounded",
    where: "both",
    meaning: "Amounts are never negative; a server may send negative ones.",
    edit: (doc) => {
      component(doc, "Amount")["minimum"] = 0;
    },
    expected: { ...TIGHTENED, types: "none" },
    isShapeBreak: true,
  },
  {
    name: "shared-null-allowed",
    where: "both",
    meaning: "The acceptor's state may be null, in events and in responses.",
    edit: (doc) => allowNull(property(component(doc, "Acceptor"), "state")),
    expected: { ...LOOSENED, types: "breaking" },
    isShapeBreak: true,
  },
  {
    name: "shared-pattern-dropped",
    where: "both",
    meaning: "A network code may be any string.",
    edit: (doc) => {
      delete component(doc, "NetworkCode")["pattern"];
    },
    expected: { ...LOOSENED, types: "none" },
    isShapeBreak: true,
  },
  {
    name: "shared-open-value-added",
    where: "both",
    meaning: "The open set of statuses has one more known value, everywhere.",
    edit: (doc) => {
      component(doc, "TransactionStatus")["x-extensible-enum"] = ["PENDING", "SETTLED", "VOID"];
    },
    expected: { ...COMPATIBLE, types: "compatible" },
    isShapeBreak: false,
  },
  {
    name: "shared-open-value-no-longer-shown",
    where: "both",
    meaning: "The open set of message types has one known value less; a server may still send it.",
    edit: (doc) => {
      component(doc, "MessageType")["x-extensible-enum"] = ["FINL_ADVC"];
    },
    expected: { ...COMPATIBLE, types: "compatible" },
    isShapeBreak: false,
  },
  {
    name: "shared-open-set-closed",
    where: "both",
    meaning: "A subscription is in one of three states; a server may send others.",
    edit: (doc) => {
      const state = component(doc, "CardSubscriptionState");
      become(state, { type: "string", enum: ["reqSCA", "active", "deactivated"] });
    },
    expected: { ...TIGHTENED, types: "breaking" },
    isShapeBreak: true,
  },
  {
    name: "shared-id-loosened",
    where: "both",
    meaning: "An id may be any string, which consumers do not expect and an old server refuses.",
    edit: (doc) => become(component(doc, "Id"), { type: "string" }),
    expected: { ...REPLACED, types: "none" },
    isShapeBreak: true,
  },
  {
    name: "shared-id-tightened",
    where: "both",
    meaning: "An id is in lower case: requests and deliveries with other ids are refused.",
    edit: (doc) => {
      component(doc, "Id")["pattern"] =
        "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";
    },
    expected: {
      ...{ consumer: "compatible", caller: "breaking", implementer: "breaking", types: "none" },
    },
    isShapeBreak: true,
  },
  {
    name: "shared-timestamp-precision-changed",
    where: "both",
    meaning: "Timestamps have microseconds: no value is valid in both contracts.",
    edit: (doc) => {
      const timestamp = component(doc, "Timestamp");
      timestamp["pattern"] = String(timestamp["pattern"]).replace("[0-9]{3}Z", "[0-9]{6}Z");
    },
    expected: { ...REPLACED, types: "none" },
    isShapeBreak: true,
  },
  {
    name: "shared-currency-pattern-added",
    where: "both",
    meaning: "A currency is three capital letters; a server may send other strings.",
    edit: (doc) => {
      component(doc, "CurrencyCode")["pattern"] = "^[A-Z]{3}$";
    },
    expected: { ...TIGHTENED, types: "none" },
    isShapeBreak: true,
  },
  {
    name: "shared-link-field-added",
    where: "both",
    meaning: "A link may have a title, which clients ignore.",
    edit: (doc) => addProperty(component(doc, "Link"), "title", { type: "string" }),
    expected: { ...COMPATIBLE, types: "compatible" },
    isShapeBreak: false,
  },
  {
    name: "shared-link-loosened",
    where: "both",
    meaning: "A link may be an absolute URL, which a client that expects paths does not follow.",
    edit: (doc) => {
      delete property(component(doc, "Link"), "href")["pattern"];
    },
    expected: { ...LOOSENED, types: "none" },
    isShapeBreak: true,
  },
  {
    name: "shared-projected-field-removed",
    where: "both",
    meaning: "The messages of a transaction no longer have superseded.",
    edit: (doc) => removeProperty(component(doc, "ProjectedTransactionMessage"), "superseded"),
    expected: { ...LOOSENED, types: "breaking" },
    isShapeBreak: true,
  },
  {
    name: "shared-field-renamed",
    where: "both",
    meaning: "The acceptor's mcc becomes merchantCategory: one of them is always missing.",
    edit: (doc) => renameProperty(component(doc, "Acceptor"), "mcc", "merchantCategory"),
    expected: { ...REPLACED, types: "breaking" },
    isShapeBreak: true,
  },
  {
    name: "shared-deep-field-made-optional",
    where: "both",
    meaning: "A category inside bankData may omit its details.",
    edit: (doc) => makeOptional(component(doc, "PersonalFinanceCategory"), "detailed"),
    expected: { ...LOOSENED, types: "breaking" },
    isShapeBreak: true,
  },
  {
    name: "shared-format-that-the-pattern-implies",
    where: "both",
    meaning: "The format of dates is removed; the pattern accepts only existing days.",
    edit: (doc) => {
      delete component(doc, "CalendarDate").format;
    },
    expected: { ...COMPATIBLE, types: "none" },
    isShapeBreak: false,
  },
  {
    name: "shared-own-format-that-the-pattern-implies",
    where: "both",
    meaning: "The custom format of local times is removed; the pattern is equivalent.",
    edit: (doc) => {
      delete component(doc, "LocalDateTime")["x-format"];
    },
    expected: { ...COMPATIBLE, types: "none" },
    isShapeBreak: false,
  },
  {
    name: "shared-own-format-dropped",
    where: "both",
    meaning: "A local time may be any string, which a parser of times cannot read.",
    edit: (doc) => become(component(doc, "LocalDateTime"), { type: "string" }),
    expected: { ...LOOSENED, types: "none" },
    isShapeBreak: true,
  },
  {
    name: "event-loosened-and-response-tightened",
    where: "both",
    meaning: "An event's descriptor may be null, and the resource's cardId no longer may.",
    edit: (doc) => {
      allowNull(property(component(doc, "TransactionEvent"), "descriptor"));
      property(component(doc, "Transaction"), "cardId").type = "string";
    },
    expected: {
      ...{ consumer: "breaking", caller: "compatible" },
      ...{ implementer: "breaking", types: "breaking" },
    },
    isShapeBreak: true,
  },
  {
    name: "event-tightened-and-response-loosened",
    where: "both",
    meaning: "The event's _embedded is guaranteed, and the resource's descriptor no longer is.",
    edit: (doc) => {
      component(doc, "TransactionEvent").required?.push("_embedded");
      makeOptional(component(doc, "Transaction"), "descriptor");
    },
    expected: {
      ...{ consumer: "compatible", caller: "breaking" },
      ...{ implementer: "breaking", types: "breaking" },
    },
    isShapeBreak: true,
  },
  {
    name: "shared-words-changed",
    where: "both",
    meaning: "A shared component has another description and another name.",
    edit: (doc) => {
      component(doc, "Acceptor").description = "The place of the purchase.";
      renameComponent(doc, "Acceptor", "CardAcceptor");
    },
    expected: NONE,
    isShapeBreak: false,
  },
  {
    name: "shared-null-as-any-of",
    where: "both",
    meaning: "A nullable string of shared messages is written as anyOf of string and null.",
    edit: (doc) => {
      const message = component(doc, "ProjectedTransactionMessage");
      become(property(message, "traceId"), {
        anyOf: [{ type: "string", pattern: "^[0-9]+$" }, { type: "null" }],
      });
      become(property(message, "cardId"), { anyOf: [refTo("Id"), { type: "null" }] });
    },
    expected: NONE,
    isShapeBreak: false,
  },
];
