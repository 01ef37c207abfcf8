import { type EventName, eventNames } from "../../generated/events.ts";
import { LocalControl } from "../../src/sandbox/control/local-control.ts";
import { inserted } from "../internals.ts";
import { bug, type Mutation, type Operation, parseJson } from "../mutation.ts";
import { on, statusIf } from "../requests.ts";
import {
  event,
  type Json,
  nth,
  OTHER_ID,
  otherId,
  patch,
  resource,
  resourcesOf,
  responses,
} from "../rewrite.ts";

const MESSAGE = "transactionmessage.created" as const;

const message = resource("transaction-messages", "projection");
const projected = resource("projection");
const standalone = resource("transaction-messages");
const shown = responses("transaction-messages");
const announced = event(MESSAGE);

const isBankOnly = (body: Json) => body.network === "OPEN_BANKING";
const isFinal = (body: Json) => body.messageType === "FINL_ADVC";
const hasBankData = (body: Json) => body.bankData;
const isOfBank = (body: Json) => body.bankData && !isBankOnly(body);

/** Whether a message is superseded in any transaction. */
const isSuperseded = async (id: string | undefined, run: Parameters<typeof resourcesOf>[0]) =>
  (await resourcesOf(run, "transactions")).some(({ body }) =>
    body.supersededMessageIds.includes(id),
  );

/** Mutations of messages. */
export const msg: readonly Mutation[] = [
  bug("msg/no-account", "MSG-01.required").is(
    "accountId is omitted, because the token implies it",
    standalone.drop("/accountId"),
  ),
  bug("msg/no-currency", "MSG-01.required", "MSG-01.projection-fields").is(
    "transactionCurrency is omitted, because the transaction has it",
    message.drop("/transactionCurrency"),
  ),
  bug("msg/amount-null", "MSG-01.types").is(
    "cardholderBillingAmount is null if no currency was converted",
    projected.set("/cardholderBillingAmount", null),
  ),
  bug(
    "msg/trace-nowhere",
    "MSG-04.populated-event",
    "MSG-04.populated-get",
    "MSG-04.populated-projection",
  ).is("The traceId column is never filled, even for NETWORK_C", message.set("/traceId", null)),
  bug("msg/trace-on-all-networks", "MSG-04.null-elsewhere").is(
    "traceId has the system trace number on every network",
    message.fill(
      "/traceId",
      (_: null, { id }: Json) => `00${id.replaceAll(/\D/g, "").slice(0, 6)}`,
    ),
  ),
  bug("msg/trace-empty", "MSG-04.null-elsewhere").is(
    "A missing traceId is an empty string",
    message.fill("/traceId", ""),
  ),
  bug("msg/trace-of-bank", "MSG-04.null-elsewhere").is(
    "traceId of a bank-only message is the provider's numeric reference",
    message.when(isBankOnly).set("/traceId", "000123456789"),
  ),
  bug("msg/trace-number", "MSG-05.digits").is(
    "traceId is a number and loses its leading zeros",
    message.number("/traceId"),
  ),
  bug("msg/trace-hexadecimal", "MSG-05.digits").is(
    "traceId is hexadecimal",
    message.set("/traceId", (id: string | null) => id && `0x${Number(id).toString(16)}f`),
  ),
  bug("msg/approval-number", "MSG-06.string").is(
    "approvalCode is a number",
    message.number("/approvalCode"),
  ),
  bug("msg/approval-on-network-c", "MSG-06.none-network-c", "MSG-06.string").is(
    "Real-time authorizations of NETWORK_C have a placeholder approvalCode",
    message
      .when((body) => body.network === "NETWORK_C" && body.messageType === "AUTH_REQU")
      .set("/approvalCode", "000000"),
  ),
  bug("msg/date-time-with-zone", "MSG-07.local").is(
    "A local time is serialized as UTC",
    message.set("/dateTime", (time: string) => `${time}Z`),
  ),
  bug("msg/date-time-of-sql", "MSG-07.local").is(
    "A local time has the database's format, with a space",
    message.set("/dateTime", (time: string) => time.replace("T", " ")),
  ),
  bug("msg/bank-data-empty", "MSG-08.null-card").is(
    "bankData of a card-sourced message is an empty object",
    message.fill("/bankData", {}),
  ),
  bug("msg/category-flat", "MSG-08.category").is(
    "personalFinanceCategory is a string",
    message.set("/bankData/personalFinanceCategory", ({ primary }: Json) => primary),
  ),
  bug("msg/no-provider", "MSG-08.provider").is(
    "bankData.provider is omitted as an internal field",
    message.drop("/bankData/provider"),
  ),
  bug("msg/result-boolean", "MSG-10.strings").is(
    "result is a boolean for approved",
    message.set("/result", (result: string) => result === "APPROVED"),
  ),
  bug("msg/type-code", "MSG-10.strings").is(
    "messageType is the ISO 8583 message type number",
    message.set("/messageType", (_: string, body: Json) => (isFinal(body) ? 220 : 100)),
  ),
  bug("msg/provider-object", "MSG-10.strings").is(
    "The provider is an object with a name",
    message.set("/bankData/provider", (name: string) => ({ name })),
  ),
  bug("msg/trace-in-events", "MSG-04.null-elsewhere").is(
    "Events have a traceId on every network",
    announced.set("/traceId", "007"),
  ),
  bug("msg/trace-not-projected", "MSG-04.populated-projection").is(
    "The projection's query does not select traceId",
    responses("projection").set("/traceId", null),
  ),
  bug("msg/trace-padded", "MSG-05.same-everywhere").is(
    "The traceId of a standalone message is padded with a zero",
    shown.set("/traceId", (id: string | null) => id && `0${id}`),
  ),
  // Agreement with the event, the transaction and the bank transaction.
  bug("msg/superseded-alone", "MSG-02.not-standalone").is(
    "One serializer for both: the standalone message has superseded",
    standalone.set("/superseded", false),
  ),
  bug("msg/superseded-without-bank-data", "MSG-08.provider").is(
    "The projection of a superseded bank message has bankData null",
    projected.when(({ superseded, bankData }) => superseded && bankData).set("/bankData", null),
  ),
  bug("msg/superseded-ids-alone", "MSG-02.not-standalone").is(
    "The standalone message lists the superseded messages of its transaction",
    shown.set("/supersededMessageIds", []),
  ),
  bug("msg/superseded-gone", "MSG-03.fetchable").is(
    "A superseded message is deleted: GET returns 410",
    on(
      "GET /transaction-messages/{}",
      statusIf(410, async ({ status }, { path }, run) => {
        return status === 200 && (await isSuperseded(path.split("/")[2], run));
      }),
    ),
  ),
  bug("msg/trace-stripped", "MSG-09.identical").is(
    "The event's traceId was converted to a number and lost its leading zeros",
    announced.set("/traceId", (id: string | null) => id && String(Number(id))),
  ),
  bug("msg/get-without-nulls", "MSG-09.identical").is(
    "The API omits nulls, but events have them",
    shown.change((body) => {
      for (const name of ["traceId", "approvalCode"]) if (body[name] === null) delete body[name];
    }),
  ),
  bug("msg/event-abridged", "MSG-09.identical").is(
    "The event has only some of the message's fields",
    announced.drop("/dateTime", "/transactionReference", "/cardholderBillingAmount"),
  ),
  bug("msg/event-before-enrichment", "MSG-09.identical").is(
    "The event is sent before the message has its final amounts",
    announced.when(isFinal).set("/transactionAmount", (amount: number) => Math.round(amount) + 1),
  ),
  bug("msg/bank-id-of-provider", "MSG-11.resolves", "MSG-11.equals-match").is(
    "bankTransactionId is the provider's id, which no endpoint knows",
    message.set("/bankData/bankTransactionId", otherId),
  ),
  bug("msg/bank-id-of-account", "MSG-11.announced", "MSG-11.resolves", "MSG-11.equals-match").is(
    "bankTransactionId is the id of the bank account",
    message.when(hasBankData).change(async ({ bankData }, run) => {
      const all = await resourcesOf(run, "bank-transactions");
      const own = all.find(({ id }) => id === bankData.bankTransactionId);
      bankData.bankTransactionId = own?.body.bankAccountId ?? bankData.bankTransactionId;
    }),
  ),
  bug("msg/projection-rounded", "MSG-12.agrees", "MSG-12.event-agrees").is(
    "Amounts in the projection are rounded to whole units",
    projected.set("/cardholderBillingAmount", Math.round),
  ),
  bug("msg/projection-of-transaction", "MSG-12.agrees").is(
    "The projection has the transaction's updatedAt as dateTime",
    responses("transactions").set(
      "/_embedded/messages/*/dateTime",
      (_: string, { updatedAt }: Json) => {
        return updatedAt.slice(0, 19);
      },
    ),
  ),
  bug("msg/provisional-unannounced", "WHK-05.message-owed").is(
    "The message of a bank posting is stored without an event",
    announced.silent(isOfBank),
  ),
  bug("msg/subaccount-of-owner", "MSG-12.owners-agree").is(
    "A standalone message has the subaccount that owns the account",
    shown.set("/subaccountId", OTHER_ID),
  ),
  bug("msg/announced-again", "MSG-09.once", "MSG-09.identical").is(
    "Enriched messages are announced again, with another reference",
    announced.twice((body) => ({
      ...body,
      transactionReference: `${body.transactionReference}-2`,
    })),
  ),
  bug("msg/removed-with-its-posting", "MSG-03.fetchable").is(
    "The removal of a bank transaction deletes its superseded message",
    on(
      "GET /transaction-messages/{}",
      statusIf(404, async ({ body }, { path }, run) => {
        const { bankTransactionId } = parseJson(body)?.bankData ?? {};
        const postings = await resourcesOf(run, "bank-transactions");
        const isRemoved = postings.some(({ id, listed }) => id === bankTransactionId && !listed);
        return isRemoved && (await isSuperseded(path.split("/")[2], run));
      }),
    ),
  ),
  bug("msg/delivered-bank-only-approval", "MSG-06.none-bank-only").is(
    "The event of a bank-only message has an approvalCode of zeros",
    announced.when(isBankOnly).set("/approvalCode", "000000"),
  ),
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

const ENRICHED = "enrichment.merchant.created" as const;
const FORM = "application/x-www-form-urlencoded";

const matched = event("transaction.match.created");
const feedChanged = event("networkbulkfeed.statechanged");
const posted = event("banktransaction.created");
const removed = event("banktransaction.deleted");

/** Registers endpoints with other events than requested. */
const subscribed = (
  change: (events: readonly EventName[]) => readonly EventName[] | undefined,
): Operation => ({
  inside: ({ fire }) =>
    patch(LocalControl.prototype as Json, "addEndpoint", (original: Json) => {
      return function addOtherwise(this: LocalControl, params: Json) {
        if (!params.events) return original.call(this, params);
        fire();
        return original.call(this, { ...params, events: change(params.events) });
      };
    }),
});

/** Mutations of deliveries, whatever their event, and of enrichments. */
export const whk: readonly Mutation[] = [
  bug("whk/no-header", "WHK-01.event-type").is(
    "The event name is only in the body",
    event().raw(({ headers: { "webhook-event-type": _, ...headers }, ...delivery }) => {
      return { ...delivery, headers };
    }),
  ),
  bug("whk/x-header", "WHK-01.event-type").is(
    "The header is named X-Webhook-Event-Type",
    event("bankaccount.state_changed").raw((delivery) => {
      const { "webhook-event-type": name = "", ...headers } = delivery.headers;
      return { ...delivery, headers: { ...headers, "x-webhook-event-type": name } };
    }),
  ),
  bug("whk/name-with-underscore", "WHK-01.event-type").is(
    "One event has a legacy name: transaction.match_created",
    matched.named("transaction.match_created"),
  ),
  bug("whk/name-in-upper-case", "WHK-01.event-type").is(
    "The header has the name of a constant: BANKLINK_COMPLETED",
    event("banklink.completed").named("BANKLINK_COMPLETED"),
  ),
  bug("whk/no-json", "WHK-01.json-body").is(
    "The payload is sent as a form field",
    feedChanged.raw((delivery) => ({
      ...delivery,
      headers: { ...delivery.headers, "content-type": FORM },
      body: new URLSearchParams({ payload: delivery.body }).toString(),
    })),
  ),
  bug("whk/encoded-twice", "WHK-02.shape").is(
    "The body is JSON-encoded twice",
    event("transaction.updated").change((body) => JSON.stringify(body)),
  ),
  bug("whk/batched", "WHK-02.shape").is(
    "The queue's consumer sends batches: an array with one event",
    posted.change((body) => [body]),
  ),
  bug("whk/empty-body", "WHK-01.json-body").is(
    "The signature consumes the body, so an empty one is sent",
    removed.raw((delivery) => ({ ...delivery, body: "" })),
  ),
  bug("whk/in-data", "SUB-01.fields").is(
    "The payload is wrapped in an envelope with data",
    event("cardsubscription.updated").change((data, { event: type }) => ({ type, data })),
  ),
  bug("whk/match-under-transaction", "WHK-02.shape").is(
    "A match is announced as transaction.updated",
    matched.named("transaction.updated"),
  ),
  bug("whk/message-under-transaction", "TXN-01.fields").is(
    "transaction.created uses the wrong template and contains a message",
    event("transaction.created").change((body) => body._embedded.messages[0]),
  ),
  bug("whk/deletion-under-creation", "WHK-02.shape").is(
    "Deletions use the wrong template and are sent as banktransaction.created",
    removed.named("banktransaction.created"),
  ),
  bug("whk/metadata-text", "WHK-03.envelope").is(
    "metadata is a JSON-encoded string",
    event("banktransaction.deleted", "transaction.match.deleted").set(
      "/metadata",
      (metadata: Json) => JSON.stringify(metadata),
    ),
  ),
  bug("whk/resource-id-number", "WHK-03.envelope").is(
    "metadata.resourceId is a row number",
    event(...eventNames.filter((name) => !name.endsWith(".deleted"))).set("/metadata", {
      resourceId: 4711,
    }),
  ),
  bug("whk/all-events", "WHK-06.not-subscribed").is(
    "The selected events are stored but ignored: every event is sent",
    subscribed(() => undefined),
  ),
  bug("whk/by-first-word", "WHK-06.not-subscribed").is(
    "Events are filtered by prefix: selecting created also selects updated",
    subscribed((events) => {
      const first = (name: string) => name.split(".")[0];
      return eventNames.filter((name) => events.some((one) => first(one) === first(name)));
    }),
  ),
  bug("whk/one-event-alone", "WHK-06.subscribed").is(
    "Each selected event overwrites the previous one, so only the last is sent",
    subscribed((events) => events.slice(-1)),
  ),
  bug("whk/ended-goes-on", "WHK-06.ended").is("The end of a subscription is stored but ignored", {
    inside: ({ fire }) =>
      patch(LocalControl.prototype as Json, "removeEndpoint", () => async () => fire()),
  }),
  bug("whk/bank-only-created-silently", "TXN-15.transaction-event").is(
    "Bank-only transactions are created without an event",
    event("transaction.created").silent(isBankOnly),
  ),
  bug("whk/late-created-silently", "WHK-05.owed").is(
    "A purchase that the bank posted before is created without an event",
    event("banktransaction.created", "transaction.created").silent((body, { memory }) => {
      if (body.amount !== undefined) memory.set(body.amount, true);
      return body.amount === undefined && memory.has(body.cardholderBillingHoldAmount);
    }),
  ),
  bug("whk/match-events-together", "WHK-06.not-subscribed").is(
    "A subscription to one event of matches is stored as one to their creation",
    subscribed((events) => {
      const isAlone = events.length === 1 && events[0] === "transaction.match.deleted";
      return isAlone ? ["transaction.match.created"] : events;
    }),
  ),
  bug("enr/first-message", "ENR-01.message-link").is(
    "The enrichment links to the first message of the transaction",
    event().change((body, { event: name, memory }) => {
      const [first, ...others] = (body._links?.messages ?? []).map(({ href }: Json) => href);
      for (const href of others) memory.set(href, first);
      const { message: link } = body._links ?? {};
      if (name === ENRICHED && memory.has(link?.href)) link.href = memory.get(link.href);
    }),
  ),
  bug("whk/third-change-silent", "WHK-05.every-change").is(
    "Only two updates of a transaction are announced",
    event("transaction.updated").silent(({ id }, run) => nth(run, id) > 2),
  ),
  bug("enr/unannounced", "ENR-01.announced").is(
    "A disabled feature flag prevents the enrichment event",
    event(ENRICHED).silent(),
  ),
  bug("whk/by-get", "WHK-01.json-body").is(
    "One event is sent by GET, without a body",
    feedChanged.raw((delivery) => ({ ...delivery, method: "GET", body: "" })),
  ),
  bug("whk/form-content-type", "WHK-01.json-body").is(
    "The HTTP client sends JSON with the content type of a form",
    posted.raw((delivery) => {
      return { ...delivery, headers: { ...delivery.headers, "content-type": FORM } };
    }),
  ),
  bug("enr/second-unannounced", "ENR-01.announced").is(
    "Only the first enrichment of a merchant is announced",
    event(ENRICHED).silent((_, run) => nth(run, ENRICHED) > 1),
  ),
];
