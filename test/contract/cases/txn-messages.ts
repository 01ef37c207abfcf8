import { type Case, casesOf, invalid, silent, valid } from "./case.ts";
import {
  at,
  change,
  type DeliveryPayload,
  delivery,
  LEGS,
  OTHER_ID,
  response,
  without,
} from "./payload.ts";

const PENDING = delivery("transaction.created", "pending");
const UNPROJECTED = delivery("transaction.created", "pending-without-projection");
const CARDLESS = delivery("transaction.created", "bank-only-cardless");
const GROUPED = delivery("transaction.created", "bank-only-with-card");
const NETTED = delivery("transaction.updated", "netted-to-zero-superseded");
const NETTED_ONLY = delivery("transaction.updated", "netted-to-zero");
/** An authorization, the bank's superseded posting, and the network's clearing. */
const CLEARED = delivery("transaction.updated", "settled-by-network");
const REVISED = delivery("transaction.updated", "revised-by-network");
const FOREIGN = delivery("transaction.updated", "settled-by-bank-abroad");
const REST = response("GET /transactions/{transactionId}", "cleared");

const [AUTHORIZATION, POSTING, CLEARING] = (
  at(CLEARED, "/_embedded/messages") as { id: string }[]
).map(({ id }) => id);
const OTHER_LINK = { href: `/transaction-messages/${OTHER_ID}` };

/** Links to the only message of PENDING, with different queries. */
const LINKS = Array.from({ length: 17 }, (_, n) => ({
  href: `${at(PENDING, "/_links/messages/0/href")}?a=${n}`,
}));

const superseded = casesOf("TXN-06", [
  silent("no message is superseded", UNPROJECTED),
  valid("one of three is superseded", CLEARED),
  valid("the only message is superseded", NETTED),
  valid("a message is superseded, and the projection is off", without(CLEARED, "/_embedded")),
  invalid("the list is absent", without(UNPROJECTED, "/supersededMessageIds"), {
    also: ["TXN-01"],
  }),
  invalid("the list is null", change(UNPROJECTED, { "/supersededMessageIds": null }), {
    also: ["TXN-01"],
  }),
  invalid("the list is a string", change(CLEARED, { "/supersededMessageIds": POSTING }), {
    also: ["TXN-01"],
  }),
  invalid("an id is listed twice", change(CLEARED, { "/supersededMessageIds/1": POSTING })),
  invalid(
    "an id is listed twice, and the projection is off",
    change(without(CLEARED, "/_embedded"), { "/supersededMessageIds/1": POSTING }),
  ),
  invalid(
    "an id is not a message's, and the projection is off",
    change(UNPROJECTED, { "/supersededMessageIds": [OTHER_ID] }),
  ),
  invalid(
    "an id is the transaction's own, and the projection is off",
    change(UNPROJECTED, { "/supersededMessageIds": [at(UNPROJECTED, "/id")] }),
  ),
  invalid(
    "one id of two is not a message's",
    change(CLEARED, { "/supersededMessageIds/1": OTHER_ID }),
    { also: ["TXN-08"] },
  ),
  invalid(
    "the superseded message is no longer linked, and the projection is off",
    without(CLEARED, "/_embedded", "/_links/messages/1"),
  ),
  invalid(
    "an id is listed twice in a response",
    change(REST, { "/supersededMessageIds/1": POSTING }),
  ),
]);

const correlated = casesOf("TXN-07", [
  silent("one message is linked and projected", PENDING),
  valid("the superseded message is linked and projected too", CLEARED),
  silent("the projection is switched off", UNPROJECTED),
  valid(
    "links and projection are in another order",
    change(CLEARED, {
      "/_links/messages": (at(CLEARED, "/_links/messages") as unknown[]).toReversed(),
    }),
  ),
  invalid(
    "a link leads to a message that is not projected",
    change(PENDING, { "/_links/messages/1": OTHER_LINK }),
  ),
  invalid(
    "the only link leads to another message",
    change(PENDING, { "/_links/messages/0": OTHER_LINK }),
  ),
  invalid("a projected message is not linked", without(CLEARED, "/_links/messages/0")),
  invalid("no message is linked", change(PENDING, { "/_links/messages": [] })),
  invalid(
    "a message is linked twice",
    change(PENDING, { "/_links/messages/1": at(PENDING, "/_links/messages/0") }),
  ),
  invalid(
    "a message is linked twice, and the projection is off",
    change(UNPROJECTED, { "/_links/messages/1": at(UNPROJECTED, "/_links/messages/0") }),
  ),
  silent("a link has a query", change(PENDING, { "/_links/messages/0": LINKS[0] })),
  invalid(
    "two links of one message have other queries, the projection is off",
    change(UNPROJECTED, { "/_links/messages": LINKS.slice(0, 2) }),
  ),
  invalid(
    "many links of one message have other queries, the projection is off",
    change(UNPROJECTED, { "/_links/messages": LINKS }),
  ),
  invalid(
    "links and projection have equal counts, one link twice",
    change(CLEARED, { "/_links/messages/0": at(CLEARED, "/_links/messages/2") }),
  ),
  invalid("a linked message is not projected", without(CLEARED, "/_embedded/messages/0")),
  invalid("the projection is empty", change(PENDING, { "/_embedded/messages": [] })),
  invalid(
    "a message is projected twice",
    change(PENDING, { "/_embedded/messages/1": at(PENDING, "/_embedded/messages/0") }),
  ),
  invalid("the superseded message is not projected", without(CLEARED, "/_embedded/messages/1"), {
    also: ["TXN-08"],
  }),
  invalid("the superseded message is not linked", without(CLEARED, "/_links/messages/1"), {
    also: ["TXN-06"],
  }),
  invalid(
    "a linked message of a response is not projected",
    without(REST, "/_embedded/messages/0"),
  ),
]);

const marked = casesOf("TXN-08", [
  silent("no message is superseded, and none marked", PENDING),
  valid("the superseded message is marked", CLEARED),
  valid("the projection is off", without(CLEARED, "/_embedded")),
  invalid(
    "a message is marked that is not superseded",
    change(PENDING, { "/_embedded/messages/0/superseded": true }),
  ),
  invalid(
    "one more message is marked than is superseded",
    change(CLEARED, { "/_embedded/messages/0/superseded": true }),
  ),
  invalid(
    "an authorization is superseded and not marked",
    change(CLEARED, { "/supersededMessageIds/1": AUTHORIZATION }),
  ),
  invalid(
    "the posting is superseded and not marked",
    change(CLEARED, { "/_embedded/messages/1/superseded": false }),
  ),
  invalid(
    "another message is marked than is superseded",
    change(CLEARED, { "/supersededMessageIds/0": CLEARING }),
    { also: ["TXN-09"] },
  ),
  invalid(
    "the superseded message of a response is not marked",
    change(REST, { "/_embedded/messages/1/superseded": false }),
  ),
]);

/** Sets both settled amounts. */
const settled = (payload: DeliveryPayload, amount: number) =>
  change(payload, {
    "/transactionSettledAmount": amount,
    "/cardholderBillingSettledAmount": amount,
  });

/** The same transaction with other leg amounts. */
const withLegs = (first: number, second: number) =>
  change(LEGS, {
    "/_embedded/messages/1/transactionAmount": first,
    "/_embedded/messages/1/cardholderBillingAmount": first,
    "/_embedded/messages/2/transactionAmount": second,
    "/_embedded/messages/2/cardholderBillingAmount": second,
  });

/** Changes the total in the cardholder's currency. */
const billedOff = (payload: DeliveryPayload, by: number) => {
  const { cardholderBillingSettledAmount } = payload.body as Record<string, number>;
  const total = Number(((cardholderBillingSettledAmount ?? 0) + by).toFixed(2));
  return change(payload, { "/cardholderBillingSettledAmount": total });
};

const sums = casesOf("TXN-09", [
  silent("no amount is settled", PENDING),
  valid("the sum excludes the superseded posting", CLEARED),
  valid("the superseded posting has another amount", REVISED),
  valid("two legs add up to the sum", LEGS),
  valid("the legs add up to a fraction that a double misses", settled(withLegs(0.1, 0.2), 0.3)),
  valid("a foreign purchase is settled in either currency", FOREIGN),
  valid("the bill of a foreign purchase is rounded as a whole", billedOff(FOREIGN, 0.01)),
  invalid("the bill of a foreign purchase differs by more than rounding", billedOff(FOREIGN, 0.02)),
  valid("a standalone is netted to 0 and superseded", NETTED),
  valid("a standalone is netted to 0 and not superseded", NETTED_ONLY),
  valid(
    "the sum includes the posting, the projection is off: undecided",
    settled(without(CLEARED, "/_embedded"), 85),
  ),
  valid(
    "a leg is in another currency: undecided",
    change(settled(LEGS, 128.4), {
      "/_embedded/messages/2/transactionCurrency": "USD",
      "/_embedded/messages/2/cardholderBillingCurrency": "USD",
    }),
  ),
  valid(
    "a leg has another result: undecided",
    change(settled(LEGS, 120), { "/_embedded/messages/2/result": "DECLINED" }),
  ),
  valid(
    "a leg is of another type: undecided",
    change(settled(LEGS, 120), { "/_embedded/messages/2/messageType": "FINL_REVERSAL" }),
  ),
  valid(
    "a refund is negative and its clearing is not (no sign rule)",
    change(settled(FOREIGN, -54), {
      "/cardholderBillingSettledAmount": -49.91,
      "/transactionType": "CREDIT_20",
    }),
  ),
  valid(
    "a hold remains after settlement (not specified)",
    change(CLEARED, { "/transactionHoldAmount": 42.5, "/cardholderBillingHoldAmount": 42.5 }),
  ),
  invalid("the sum includes the superseded posting", settled(CLEARED, 85)),
  invalid("the sum has the superseded posting instead of the clearing", settled(REVISED, 50)),
  invalid(
    "the transaction amount includes the superseded posting",
    change(CLEARED, { "/transactionSettledAmount": 85 }),
  ),
  invalid(
    "the cardholder amount includes the superseded posting",
    change(CLEARED, { "/cardholderBillingSettledAmount": 85 }),
  ),
  invalid("the sum excludes the clearing and the superseded posting", settled(CLEARED, 0)),
  invalid("the sum is a cent too low", settled(CLEARED, 42.49)),
  invalid("the sum includes the superseded standalone", settled(NETTED, 61.4)),
  invalid("the sum excludes one of two legs", settled(LEGS, 120)),
  invalid("a standalone has neither its amount nor 0", settled(NETTED_ONLY, 20)),
  invalid(
    "the sum of a response includes the superseded posting",
    change(REST, { "/transactionSettledAmount": 85, "/cardholderBillingSettledAmount": 85 }),
  ),
]);

const MESSAGE = "/_embedded/messages/0";

const bankOnly = casesOf("TXN-16", [
  valid("all markers are present without a card", CARDLESS),
  valid("all markers are present with a card", GROUPED),
  valid("approvalCode is absent", without(CARDLESS, `${MESSAGE}/approvalCode`)),
  valid("the projection is off: undecided", without(CARDLESS, "/_embedded")),
  silent("a purchase by card has no markers", PENDING),
  valid(
    "a purchase settled by the bank has bankData too",
    delivery("transaction.updated", "settled-by-bank"),
  ),
  invalid("approvalCode is a string", change(CARDLESS, { [`${MESSAGE}/approvalCode`]: "921053" }), {
    also: ["MSG-06"],
  }),
  invalid(
    "transactionReference is a network's",
    change(CARDLESS, { [`${MESSAGE}/transactionReference`]: "ref41c07d2be9a3" }),
  ),
  invalid(
    "transactionReference contains bank_ but does not start with it",
    change(CARDLESS, { [`${MESSAGE}/transactionReference`]: "my_bank_7f3a90c1d2" }),
  ),
  invalid(
    "transactionReference begins with BANK_",
    change(GROUPED, { [`${MESSAGE}/transactionReference`]: "BANK_02b9e6aa41" }),
  ),
  invalid("bankData is null", change(GROUPED, { [`${MESSAGE}/bankData`]: null }), {
    also: ["MSG-08"],
  }),
  invalid(
    "the network of the transaction is a card network",
    change(CARDLESS, { "/network": "NETWORK_A" }),
    { also: ["TXN-02"] },
  ),
  invalid(
    "the network of the message is a card network",
    change(CARDLESS, { [`${MESSAGE}/network`]: "NETWORK_A" }),
  ),
  invalid(
    "transactionReference in a response is a network's",
    change(response("GET /transactions/{transactionId}", "bank-only"), {
      [`${MESSAGE}/transactionReference`]: "ref1",
    }),
  ),
  invalid(
    "transactionReference of the standalone message is a network's",
    change(delivery("transactionmessage.created", "bank-only-with-card"), {
      "/transactionReference": "ref41c07d2be9a3",
    }),
    { also: ["MSG-01"] },
  ),
]);

/** The transaction compared with its messages. */
export const txnMessages: Case[] = [...superseded, ...correlated, ...marked, ...sums, ...bankOnly];
