import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type MutationHooks, parseJson } from "../../../mutation/mutation.ts";
import {
  changeEvents,
  changeResource,
  changeResponseAt,
  changeResponses,
  type Json,
  mutationState,
  onPath,
  problemResponse,
} from "../../../mutation/rewrite.ts";
import { drive } from "./harness.ts";

/** Choices that the interface leaves open. No check may fail because of them. */
const variations: readonly (MutationHooks & { readonly title: string })[] = [
  {
    title: "every delivery is sent twice",
    deliveries: async (delivery, { send }) => {
      await send(delivery);
      await send(delivery);
    },
  },
  {
    title: "deliveries arrive out of order",
    deliveries: async (delivery, { send, defer, takeDeferred }, run) => {
      const count = mutationState(run, "count", () => ({ of: 0 }));
      count.of += 1;
      if (count.of % 3 === 0) return defer(delivery);
      await send(delivery);
      for (const late of takeDeferred()) await send(late);
    },
  },
  {
    title: "all deliveries are sent at once",
    deliveries: async (delivery, { send }, run) => {
      const count = mutationState(run, "count", () => ({ of: 0 }));
      count.of += 1;
      await sleep((count.of * 7) % 11);
      await send(delivery);
    },
  },
  {
    title: "transactions have no projection",
    ...changeResource("transactions", (body) => {
      delete body._embedded;
    }),
  },
  {
    title: "each update is repeated with one more field",
    deliveries: async (delivery, { send }) => {
      await send(delivery);
      if (!delivery.name.endsWith(".updated")) return;
      const body = { ...parseJson(delivery.body), more: "of this and that" };
      await send({ ...delivery, body: JSON.stringify(body) });
    },
  },
  {
    title: "removed items stay listed as removed",
    http: changeResponseAt(
      ["/bank-transactions", "/transaction-matches"],
      (json, { run, path = "" }) => {
        const [name = ""] = Object.keys(json._embedded);
        const all = mutationState(run, path, () => new Map<string, Json>());
        const here = new Set(json._embedded[name].map(({ id }: Json) => id));
        for (const item of json._embedded[name]) all.set(item.id, item);
        json._embedded[name] = [...all.values()].map((item) =>
          here.has(item.id) ? item : { ...item, removed: true },
        );
      },
    ),
  },
  {
    title: "standalone messages are abridged",
    http: changeResponses("transaction-messages", abridge),
    deliveries: changeEvents("transaction-messages", abridge),
  },
  {
    title: "listed bank transactions and matches have only the required fields",
    http: changeResponses(["bank-transactions", "transaction-matches"], ({ id, category }) => ({
      id,
      ...(category && { category }),
    })),
  },
  {
    title: "subscription resources are not served",
    http: onPath("/card-subscriptions/{}", async () => problemResponse(404, "Not found")),
  },
];

function abridge(body: Json): void {
  for (const name of ["approvalCode", "transactionReference", "dateTime", "cardId"]) {
    delete body[name];
  }
}

test.each(variations.map((variation) => [variation.title, variation] as const))(
  "no driven check fails if %s",
  async (_, { title, ...mutation }) => {
    const { verdicts, report } = await drive({ mutation });
    expect([...verdicts].filter(([, { findings = [] }]) => findings.length > 0)).toEqual([]);
    expect(report.suiteErrors).toEqual([]);
  },
  30_000,
);
