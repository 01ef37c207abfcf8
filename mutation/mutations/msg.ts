import * as is from "../bugs.ts";
import { bug, field, fields } from "../bugs.ts";
import { event } from "../events.ts";
import { inserted } from "../internals.ts";
import { type Mutation, parseJson } from "../mutation.ts";
import { status } from "../requests.ts";
import { type Json, resource, resourcesOf, responses } from "../rewrite.ts";
import { isBankOnly, isOfBank, MESSAGE, message } from "../transactions.ts";

const projected = resource("projection");
const standalone = resource("transaction-messages");
const shown = responses("transaction-messages");
const announced = event(MESSAGE);

const AMOUNT = "/cardholderBillingAmount";
const CATEGORY = "/bankData/personalFinanceCategory";
const BANK_ID = "/bankData/bankTransactionId";
const primary = (category: Json) => category.primary;

const isFinal = (body: Json) => body.messageType === "FINL_ADVC";
const hasBankData = (body: Json) => body.bankData;

/** Whether a message is superseded in any transaction. */
const isSuperseded = async (id: string | undefined, run: Parameters<typeof resourcesOf>[0]) =>
  (await resourcesOf(run, "transactions")).some(({ body }) =>
    body.supersededMessageIds.includes(id),
  );

/** Mutations of messages. */
export const msg: readonly Mutation[] = [
  ...fields(standalone, [
    ["msg/no-account", "MSG-01.required", "/accountId", is.omitted],
    ["msg/superseded-alone", "MSG-02.not-standalone", "/superseded", is.always(false)],
    ["msg/currency-number", "MSG-01.types", "/cardholderBillingCurrency", is.always(978)],
  ]),
  bug("msg/no-currency", "MSG-01.required", "MSG-01.projection-fields")
    .is("transactionCurrency is omitted, because the transaction has it")
    .by(message.drop("/transactionCurrency")),
  bug("msg/not-marked", "MSG-02.in-projection", "MSG-01.projection-fields")
    .is("The projection omits superseded, because the transaction lists the ids")
    .by(projected.drop("/superseded")),
  bug(
    "msg/trace-nowhere",
    "MSG-04.populated-event",
    "MSG-04.populated-get",
    "MSG-04.populated-projection",
  ).is("The traceId column is never filled, even for NETWORK_C", message.set("/traceId", null)),
  bug("msg/trace-on-all-networks", "MSG-04.null-elsewhere")
    .is("traceId has the system trace number on every network")
    .by(message.fill("/traceId", (_, { id }) => `00${id.replaceAll(/\D/g, "").slice(0, 6)}`)),
  ...fields(message, [
    ["msg/trace-empty", "MSG-04.null-elsewhere", "/traceId", is.filled("")],
    ["msg/trace-number", "MSG-05.digits", "/traceId", is.number],
    ["msg/approval-number", "MSG-06.string", "/approvalCode", is.number],
    ["msg/date-time-with-zone", "MSG-07.local", "/dateTime", is.suffixed("Z")],
    ["msg/date-time-of-sql", "MSG-07.local", "/dateTime", is.respelled("T", " ")],
    ["msg/bank-data-empty", "MSG-08.null-card", "/bankData", is.filled({})],
    ["msg/no-provider", "MSG-08.provider", "/bankData/provider", is.omitted],
  ]),
  bug("msg/trace-of-bank", "MSG-04.null-elsewhere")
    .is("traceId of a bank-only message is the provider's numeric reference")
    .by(message.when(isBankOnly).set("/traceId", "000123456789")),
  bug("msg/trace-hexadecimal", "MSG-05.digits")
    .is("traceId is hexadecimal")
    .by(message.set("/traceId", (id) => id && `0x${Number(id).toString(16)}f`)),
  bug("msg/approval-on-network-c", "MSG-06.none-network-c").is(
    "Real-time authorizations of NETWORK_C have a placeholder approvalCode",
    message.when({ network: "NETWORK_C", messageType: "AUTH_REQU" }).set("/approvalCode", "000000"),
  ),
  bug("msg/result-boolean", "MSG-10.strings")
    .is("result is a boolean for approved")
    .by(message.set("/result", (result) => result === "APPROVED")),
  bug("msg/type-code", "MSG-10.strings")
    .is("messageType is the ISO 8583 message type number")
    .by(message.set("/messageType", (_, body) => (isFinal(body) ? 220 : 100))),
  field(
    "msg/category-flat",
    "MSG-08.category",
    message,
    CATEGORY,
    is.changed(primary, "is a string"),
  ),
  bug("msg/provider-object", "MSG-10.strings")
    .is("The provider is an object with a name")
    .by(is.changed((name) => ({ name }))(message, "/bankData/provider")),
  bug("msg/bank-id-of-provider", "MSG-11.resolves", "MSG-11.equals-match")
    .is("bankTransactionId is the provider's id, which no endpoint knows")
    .by(is.mistaken(message, BANK_ID)),
  field("msg/trace-in-events", "MSG-04.null-elsewhere", announced, "/traceId", is.always("007")),
  bug("msg/trace-not-projected", "MSG-04.populated-projection")
    .is("The projection's query does not select traceId")
    .by(responses("projection").set("/traceId", null)),
  ...fields(shown, [
    ["msg/trace-padded", "MSG-05.same-everywhere", "/traceId", is.prefixed("0")],
    ["msg/superseded-ids-alone", "MSG-02.not-standalone", "/supersededMessageIds", is.always([])],
    ["msg/subaccount-of-owner", "MSG-12.owners-agree", "/subaccountId", is.foreign],
  ]),
  // Agreement with the event, the transaction and the bank transaction.
  bug("msg/superseded-without-bank-data", "MSG-08.provider").is(
    "The projection of a superseded bank message has bankData null",
    projected.when(({ superseded, bankData }) => superseded && bankData).set("/bankData", null),
  ),
  bug("msg/superseded-gone", "MSG-03.fetchable").is(
    "A superseded message is deleted: GET returns 410",
    status("GET /transaction-messages/{}", 410, async ({ status }, { path }, run) => {
      return status === 200 && (await isSuperseded(path.split("/")[2], run));
    }),
  ),
  bug("msg/trace-stripped", "MSG-05.same-everywhere", "MSG-09.identical")
    .is("The event's traceId was converted to a number and lost its leading zeros")
    .by(announced.set("/traceId", (id) => id && String(Number(id)))),
  bug("msg/get-without-nulls", "MSG-09.identical")
    .is("The API omits nulls, but events have them")
    .by(shown, (body) => {
      for (const name of ["traceId", "approvalCode"]) if (body[name] === null) delete body[name];
    }),
  bug("msg/event-abridged", "MSG-09.identical")
    .is("The event has only some of the message's fields")
    .by(announced.drop("/dateTime", "/transactionReference", "/cardholderBillingAmount")),
  bug("msg/event-before-enrichment", "MSG-09.identical")
    .is("The event is sent before the message has its final amounts")
    .by(announced.when(isFinal).set("/transactionAmount", (amount) => Math.round(amount) + 1)),
  bug("msg/bank-id-of-account", "MSG-11.announced", "MSG-11.resolves", "MSG-11.equals-match")
    .is("bankTransactionId is the id of the bank account")
    .by(message.when(hasBankData), async ({ bankData }, run) => {
      const all = await resourcesOf(run, "bank-transactions");
      const own = all.find(({ id }) => id === bankData.bankTransactionId);
      bankData.bankTransactionId = own?.body.bankAccountId ?? bankData.bankTransactionId;
    }),
  field("msg/amount-null", "MSG-01.projection-fields", projected, AMOUNT, is.nulled),
  bug("msg/projection-rounded", "MSG-12.agrees", "MSG-12.event-agrees")
    .is("Amounts in the projection are rounded to whole units")
    .by(is.changed(Math.round)(projected, AMOUNT)),
  bug("msg/projection-of-transaction", "MSG-12.agrees").is(
    "The projection has the transaction's updatedAt as dateTime",
    responses("transactions").set("/_embedded/messages/*/dateTime", (_, { updatedAt }) => {
      return updatedAt.slice(0, 19);
    }),
  ),
  bug("msg/provisional-unannounced", "WHK-05.message-owed")
    .is("The message of a bank posting is stored without an event")
    .by(announced.silent(isOfBank)),
  bug("msg/announced-again", "MSG-09.once", "MSG-09.identical").is(
    "Enriched messages are announced again, with another reference",
    announced.twice((body) => ({
      ...body,
      transactionReference: `${body.transactionReference}-2`,
    })),
  ),
  bug("msg/removed-with-its-posting", "MSG-03.fetchable").is(
    "The removal of a bank transaction deletes its superseded message",
    status("GET /transaction-messages/{}", 404, async ({ body }, { path }, run) => {
      const { bankTransactionId } = parseJson(body)?.bankData ?? {};
      const postings = await resourcesOf(run, "bank-transactions");
      const isRemoved = postings.some(({ id, listed }) => id === bankTransactionId && !listed);
      return isRemoved && (await isSuperseded(path.split("/")[2], run));
    }),
  ),
  bug("msg/delivered-bank-only-approval", "MSG-06.none-bank-only")
    .is("The event of a bank-only message has an approvalCode of zeros")
    .by(announced.when(isBankOnly).set("/approvalCode", "000000")),
  bug("msg/clearing-with-bank-data", "MSG-08.null-card").is(
    "A clearing takes over the bankData of the message that it supersedes",
    inserted("transaction-messages", ({ body, parent }, { store }) => {
      if (!isFinal(body) || body.bankData || isBankOnly(body)) return false;
      const all = store.children("transaction-messages", parent);
      const bank = all.find((one) => isOfBank(one.body));
      if (!bank) return false;
      body.bankData = bank.body.bankData ?? null;
      return true;
    }),
  ),
];
