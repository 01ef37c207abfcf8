import { describe } from "vitest";
import { bankTransactions } from "../../../conformance/checks/btx/responses.ts";
import { matches } from "../../../conformance/checks/mat/responses.ts";
import { cardSubscriptions } from "../../../conformance/checks/sub/responses.ts";
import { UNKNOWN_ID } from "../../../conformance/feed/operations.ts";
import { type Change, changeResponseAt, changeResponses } from "../../../mutation/rewrite.ts";
import { both, eachFails, linking } from "./behind.ts";

const unlisted = changeResponseAt("/bank-transactions", (json) => {
  json._embedded.bankTransactions.shift();
});

const subscriptions = (change: Change) =>
  both(linking("card-subscriptions"), changeResponses("card-subscriptions", change));

describe("bank transactions", () =>
  eachFails(bankTransactions, [
    [
      "BTX-03",
      "category is an array on the REST resource",
      changeResponses("bank-transactions", (body) => {
        body.category = body.category[0] ?? null;
      }),
    ],
    ["BTX-07", "GET /bank-transactions lists the bank transactions of listed matches", unlisted],
  ]));

describe("matches", () =>
  eachFails(matches, [
    [
      "MAT-04",
      "matches[].id of a match is the id of a bank transaction",
      changeResponses("transaction-matches", (body) => {
        for (const one of body.matches) one.id = one.id.replace(/.$/, "0");
      }),
    ],
    [
      "MAT-04",
      "matches[].bankAccountId is the account of the bank transaction",
      changeResponses("transaction-matches", (body) => {
        body.matches[0].bankAccountId = UNKNOWN_ID;
      }),
    ],
    ["MAT-11", "GET /transaction-matches names only listed bank transactions", unlisted],
  ]));

describe("card subscriptions", () =>
  eachFails(cardSubscriptions, [
    [
      "SUB-01",
      "a card subscription carries the fields of its kind",
      subscriptions((body) => {
        delete body.state;
      }),
    ],
    [
      "SUB-02",
      "a network-bulk subscription has the id and link of its feed",
      subscriptions((body) => {
        if (body.enrollmentType === "network-bulk") delete body._links.networkBulkFeed;
      }),
    ],
    [
      "SUB-02",
      "any other subscription has no feed id or link",
      subscriptions((body) => {
        body.networkBulkFeedId ??= UNKNOWN_ID;
      }),
    ],
    [
      "SUB-03",
      "bankAccountId and its link are both present or both absent",
      subscriptions((body) => {
        delete body._links.bankAccount;
      }),
    ],
  ]));
