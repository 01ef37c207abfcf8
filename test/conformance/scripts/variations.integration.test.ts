import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { event } from "../../../mutation/events.ts";
import type { MutationHooks } from "../../../mutation/mutation.ts";
import { status } from "../../../mutation/requests.ts";
import {
  type Json,
  mutationState,
  nth,
  resource,
  response,
  responses,
} from "../../../mutation/rewrite.ts";
import { drive } from "./drive.ts";

const ABRIDGED = ["/approvalCode", "/transactionReference", "/dateTime", "/cardId"];

const hooksOf = ({ http, deliveries }: MutationHooks) => ({ http, deliveries });

/** Choices that the interface leaves open. No check may fail because of them. */
const variations: readonly (MutationHooks & { readonly title: string })[] = [
  { title: "every delivery is sent twice", ...event().twice((body) => body) },
  {
    title: "deliveries arrive out of order",
    deliveries: async (delivery, { send, defer, takeDeferred }, run) => {
      if (nth(run, "delivery") % 3 === 0) return defer(delivery);
      await send(delivery);
      for (const late of takeDeferred()) await send(late);
    },
  },
  {
    title: "all deliveries are sent at once",
    deliveries: async (delivery, { send }, run) => {
      await sleep((nth(run, "delivery") * 7) % 11);
      await send(delivery);
    },
  },
  {
    title: "transactions have no projection",
    ...hooksOf(resource("transactions").drop("/_embedded")),
  },
  {
    title: "each update is repeated with one more field",
    ...event("transaction.updated", "cardsubscription.updated").twice((body) => {
      return { ...body, more: "of this and that" };
    }),
  },
  {
    title: "removed items stay listed as removed",
    ...hooksOf(
      response("/bank-transactions", "/transaction-matches").change((json, run) => {
        const [name = ""] = Object.keys(json._embedded);
        const page = `${run.path}?${run.query}`;
        const all = mutationState(run, page, () => new Map<string, Json>());
        const here = new Set(json._embedded[name].map(({ id }: Json) => id));
        for (const item of json._embedded[name]) all.set(item.id, item);
        json._embedded[name] = [...all.values()].map((item) =>
          here.has(item.id) ? item : { ...item, removed: true },
        );
      }),
    ),
  },
  {
    title: "standalone messages are abridged",
    ...hooksOf(resource("transaction-messages").drop(...ABRIDGED)),
  },
  {
    title: "listed bank transactions and matches have only the required fields",
    ...hooksOf(
      responses("bank-transactions", "transaction-matches").change(({ id, category }) => ({
        id,
        ...(category && { category }),
      })),
    ),
  },
  {
    title: "subscription resources are not served",
    ...status("GET /card-subscriptions/{}", 404),
  },
];

test.each(variations.map((variation) => [variation.title, variation] as const))(
  "no driven check fails if %s",
  async (_, { title, ...mutation }) => {
    const { verdicts, report } = await drive({ mutation });
    expect([...verdicts].filter(([, { findings = [] }]) => findings.length > 0)).toEqual([]);
    expect(report.suiteErrors).toEqual([]);
  },
  30_000,
);
