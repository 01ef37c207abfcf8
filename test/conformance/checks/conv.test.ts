import { conventions } from "../../../conformance/checks/conv/responses.ts";
import { UNKNOWN_ID } from "../../../conformance/feed/operations.ts";
import {
  changeResponseAt,
  changeResponses,
  onPath,
  problemResponse,
  rename,
} from "../../../mutation/rewrite.ts";
import { eachFails } from "./behind.ts";

eachFails(conventions, [
  [
    "CONV-01",
    "identifiers are UUID-shaped strings",
    changeResponses("subaccounts", (body) => {
      body.id = `sub_${body.id}`;
    }),
  ],
  [
    "CONV-02",
    "timestamps are UTC with milliseconds",
    changeResponses("transactions", (body) => {
      body.createdAt = body.createdAt.replace(/\.\d+Z/, "Z");
    }),
  ],
  [
    "CONV-03",
    "dates are YYYY-MM-DD",
    changeResponses("bank-transactions", (body) => {
      body.date = body.date.replaceAll("-", "/");
    }),
  ],
  [
    "CONV-04",
    "amounts are JSON numbers",
    changeResponses("transactions", (body) => {
      body.transactionHoldAmount = "1.00";
    }),
  ],
  [
    "CONV-05",
    "links are objects with a relative href",
    changeResponses("transactions", (body) => {
      body._links.card &&= { href: `http://127.0.0.1:1${body._links.card.href}` };
    }),
  ],
  [
    "CONV-05",
    "every link that the interface names has a relative href",
    changeResponses("cards", (body) => {
      body._links.subaccount = body._links.subaccount.href;
    }),
  ],
  [
    "CONV-06",
    "resources and collections are HAL-style JSON",
    changeResponses("cards", (body) => rename(body, "_links", "links")),
  ],
  [
    "CONV-06",
    "a collection has _links and _embedded, a resource has _links",
    changeResponseAt("/bank-links", (json) => json._embedded.bankLinks),
  ],
  [
    "CONV-06",
    "a content type, if present, is JSON",
    onPath("/subaccounts/{}", async ({ forward }) => {
      const answer = await forward();
      return { ...answer, headers: { ...answer.headers, "content-type": "text/html" } };
    }),
  ],
  [
    "CONV-07",
    "a self link ends in the resource's own id",
    changeResponseAt("/bank-accounts", ({ _embedded: { bankAccounts } }) => {
      for (const one of bankAccounts) one._links = bankAccounts[0]._links;
    }),
  ],
  [
    "CONV-08",
    "a link to a related resource ends in the id of the matching field",
    changeResponses("transactions", (body) => {
      body._links.subaccount.href = `/subaccounts/${UNKNOWN_ID}`;
    }),
  ],
  [
    "CONV-09",
    "every link of a response returns 200",
    onPath("/cards/{}", async () => problemResponse(404, "")),
  ],
]);
