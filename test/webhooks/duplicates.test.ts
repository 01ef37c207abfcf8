import { describe, expect, test, vi } from "vitest";
import { make } from "../../src/fixtures/index.ts";
import {
  createReceiver,
  type DeliveryReport,
  memoryInbox,
  QuarantineError,
  RetryLaterError,
} from "../../src/webhooks/index.ts";
import { deliver } from "../support/payloads.ts";

describe("a receiver that acknowledges handled deliveries", () => {
  const updated = make("transaction.updated");

  test("handles duplicates once, also with reordered members", async () => {
    const handler = vi.fn();
    const receiver = createReceiver({
      on: { "transaction.updated": handler },
      inbox: memoryInbox(),
      acknowledge: "handled",
    });
    const reversed = Object.fromEntries(Object.entries(updated).reverse());
    for (const body of [updated, updated, reversed]) {
      expect((await receiver(deliver("transaction.updated", body))).status).toBe(204);
    }
    expect(handler).toHaveBeenCalledOnce();
  });

  test("acknowledges a duplicate when the first is handled", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = vi.fn(() => promise);
    const receiver = createReceiver({
      on: { "transaction.updated": handler },
      inbox: memoryInbox(),
      acknowledge: "handled",
    });
    const sent = [1, 2].map(() => receiver(deliver("transaction.updated", updated)));
    await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
    resolve();
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([204, 204]);
    expect(handler).toHaveBeenCalledOnce();
  });

  test("refuses a delivery with 503 while another process handles its resource", async () => {
    const inbox = memoryInbox();
    inbox.once = async () => "busy";
    const receiver = createReceiver({
      on: { "transaction.updated": () => {} },
      inbox,
      acknowledge: "handled",
    });
    const response = await receiver(deliver("transaction.updated", updated));
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
  });

  test("handles a failed delivery again", async () => {
    const handler = vi.fn().mockRejectedValueOnce(new Error("no"));
    const receiver = createReceiver({
      on: { "transaction.updated": handler },
      inbox: memoryInbox(),
      acknowledge: "handled",
    });
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(500);
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(204);
    expect(handler).toHaveBeenCalledTimes(2);
  });

  test("handles both losses of a bank account that is lost twice", async () => {
    const handler = vi.fn();
    const receiver = createReceiver({
      on: { "bankaccount.state_changed": handler },
      inbox: memoryInbox(),
      acknowledge: "handled",
    });
    const lost = make("bankaccount.state_changed");
    for (let loss = 0; loss < 2; loss += 1)
      await receiver(deliver("bankaccount.state_changed", lost));
    expect(handler).toHaveBeenCalledTimes(2);
  });

  test("responds with 500 if the inbox fails, and reports it to onDelivery", async () => {
    const onDelivery = vi.fn();
    const inbox = memoryInbox();
    inbox.once = () => Promise.reject(new Error("disk full"));
    const receiver = createReceiver({
      on: { "transaction.updated": () => {} },
      inbox,
      acknowledge: "handled",
      onDelivery,
    });
    expect((await receiver(deliver("transaction.updated", updated))).status).toBe(500);
    const error = new Error("disk full");
    expect(onDelivery).toHaveBeenCalledWith(expect.objectContaining({ error }));
  });
});

describe("without an inbox", () => {
  test("deliveries of a resource are handled one after another, others in parallel", async () => {
    const log: string[] = [];
    const open: (() => void)[] = [];
    const receiver = createReceiver({
      on: {
        "transaction.updated": async ({ body }) => {
          log.push(`start ${body.metadata?.["n"]}`);
          await new Promise<void>((resolve) => open.push(resolve));
          log.push(`end ${body.metadata?.["n"]}`);
        },
      },
    });
    const [updated, other] = [make("transaction.updated"), make("transaction.updated")];
    const send = (n: number, body: object = updated) =>
      receiver(deliver("transaction.updated", { ...body, metadata: { n } }));
    const sent = [send(1), send(2), send(3, { ...other, id: crypto.randomUUID() })];
    await vi.waitFor(() => expect(log).toEqual(["start 1", "start 3"]));
    for (const resolve of open.splice(0)) resolve();
    await vi.waitFor(() => expect(log.at(-1)).toBe("start 2"));
    for (const resolve of open.splice(0)) resolve();
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([204, 204, 204]);
  });

  test("a handler can ask for a retry later or refuse a delivery", async () => {
    const errors: Error[] = [
      new RetryLaterError("not linked yet", { at: new Date(Date.now() + 60_000) }),
      new QuarantineError("a closed subaccount"),
    ];
    const reports: DeliveryReport[] = [];
    const receiver = createReceiver({
      on: {
        "transaction.updated": () => {
          throw errors.shift();
        },
      },
      onDelivery: (report) => reports.push(report),
    });
    const updated = make("transaction.updated");
    const later = await receiver(deliver("transaction.updated", updated));
    expect([later.status, later.headers.get("retry-after")]).toEqual([503, "60"]);
    const refused = await receiver(deliver("transaction.updated", updated));
    expect(refused.status).toBe(422);
    expect(await refused.text()).not.toContain("subaccount");
    expect(reports.map(({ outcome }) => outcome)).toEqual(["postponed", "quarantined"]);
  });

  test("a handler that exceeds its time limit fails", async () => {
    const receiver = createReceiver({
      on: { "transaction.updated": () => new Promise(() => {}) },
      work: { timeoutMs: 10 },
    });
    const response = await receiver(deliver("transaction.updated", make("transaction.updated")));
    expect(response.status).toBe(500);
  });
});
