import { type Mutation, parseJson } from "../mutation.ts";
import { changeResource, changeResponses, onPath } from "../rewrite.ts";

/** Mutations of what links return and lead to, and of what is embedded. */
export const convResources: readonly Mutation[] = [
  {
    id: "conv/messages-outside",
    requirement: "CONV-06",
    description: "A transaction has its messages beside _embedded",
    checks: ["CONV-06: the messages of a transaction are nowhere but in _embedded"],
    http: changeResponses("transactions", (body) => {
      body.messages = body._embedded.messages;
      delete body._embedded;
    }),
  },
  {
    id: "conv/self-returns-latest",
    requirement: "EP-04",
    description: "The query of a single transaction ignores the id",
    checks: [
      "EP-04: GET /transactions/{transactionId} returns the same id",
      "CONV-07: a self link of an item returns the item's resource",
      "CONV-07: the self link of a delivery returns its resource",
    ],
    http: onPath("/transactions/{}", async ({ forward }) => {
      const { body } = await forward({ target: "/transactions?limit=1" });
      const [first] = parseJson(body)?._embedded?.transactions ?? [];
      return await forward(first && { target: `/transactions/${first.id}` });
    }),
  },
  {
    id: "conv/self-of-collection",
    requirement: "CONV-07",
    description: "The self link lacks its id",
    checks: ["CONV-07: every body", "MSG-01: the self link of a message has the specified path"],
    ...changeResource("transaction-messages", (body) => {
      body._links.self.href = "/transaction-messages/";
    }),
  },
];
