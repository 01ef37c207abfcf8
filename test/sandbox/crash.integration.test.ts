import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Kind, Outcome, VerbName, VerbParams } from "../../src/sandbox/index.ts";
import { serve } from "../support/local-server.ts";
import { type SandboxProgram, startSandboxProgram, tokenOf } from "../support/sandbox-program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { findingsOf } from "./test-sandbox.ts";

const ROUNDS = 3;
/** The number of acknowledged calls per round. */
const CALLS = 120;
const ALL = { limit: 1_000_000 };

/** Everything acknowledged, over all rounds. */
interface Acknowledged {
  readonly outcomes: Outcome[];
  /** The bank links whose PATCH returned 200. */
  readonly linkIds: string[];
}

/** A slow receiver that refuses every seventh delivery. */
async function startReceiver() {
  const arrivedIds: string[] = [];
  const acceptedIds = new Set<string>();
  const origin = await serve(async (message, response) => {
    const body = await message.toArray().catch(() => undefined);
    if (!body) return;
    const id = String(message.headers["webhook-id"]);
    arrivedIds.push(id);
    const count = arrivedIds.length;
    await wait(count % 20);
    const isAccepted = count % 7 !== 0;
    if (isAccepted) acceptedIds.add(id);
    response.writeHead(isAccepted ? 204 : 500).end();
  });
  return { url: `${origin}/hook`, arrivedIds, acceptedIds };
}

type Trigger = <Name extends VerbName>(
  verb: Name,
  params?: VerbParams[Name],
) => Promise<Outcome<Name>["result"]>;

/** The loop of each client. Every client uses its own resources. */
type Script = (trigger: Trigger, complete: (bankLinkId: string) => Promise<void>) => Promise<void>;

const buying: Script = async (trigger) => {
  const { transactionId } = await trigger("purchase", { amount: 31.4 });
  await trigger("clear-partial", { transactionId, amount: 10 });
  await trigger("clear", { transactionId });
  await trigger("bank-post", { transactionId });
};

const posting: Script = async (trigger) => {
  const { bankTransactionId } = await trigger("bank-post", { amount: 7, description: "KIOSK" });
  await trigger("late-card-data", { bankTransactionId: bankTransactionId ?? "" });
};

const enrolling: Script = async (trigger) => {
  const { subscriptionId } = await trigger("enroll");
  await trigger("sca-pass", { subscriptionId });
  await trigger("deactivate", { subscriptionId });
};

const linking: Script = async (trigger, complete) => {
  await complete((await trigger("link-start")).bankLinkId);
};

/** Runs all clients at full speed and kills the program meanwhile. */
async function killUnderLoad(program: SandboxProgram, token: string, acked: Acknowledged) {
  const { outcomes, linkIds } = acked;
  const end = outcomes.length + linkIds.length + CALLS;
  let killed: Promise<unknown> | undefined;
  const acknowledge = () => {
    if (outcomes.length + linkIds.length >= end) killed ??= program.stop("SIGKILL");
  };
  const trigger: Trigger = async (verb, params) => {
    const outcome = await program.control.trigger(verb, params);
    outcomes.push(outcome as Outcome);
    acknowledge();
    return outcome.result;
  };
  const complete = async (id: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const url = `${program.facts.baseUrl}/bank-links/${id}`;
    expect((await fetch(url, { method: "PATCH", headers })).status).toBe(200);
    linkIds.push(id);
    acknowledge();
  };
  const clients = [buying, buying, posting, enrolling, linking, linking].map(async (script) => {
    while (!program.child.killed) {
      await script(trigger, complete).catch((error) => {
        // A verb may have no applicable resource left. Other failures are calls without a response.
        if (error.status !== 409 && error.cause === undefined) throw error;
      });
    }
  });
  await Promise.all(clients);
  await killed;
}

const KINDS: Record<string, Kind> = {
  transactionId: "transactions",
  messageId: "transaction-messages",
  bankTransactionId: "bank-transactions",
  subscriptionId: "card-subscriptions",
  cardId: "cards",
  bankLinkId: "bank-links",
};

/** Expects every acknowledged event, resource and completed link. Returns the log. */
async function expectDurable({ control }: SandboxProgram, { outcomes, linkIds }: Acknowledged) {
  const log = await control.events(ALL);
  for (const event of outcomes.flatMap(({ events }) => events)) {
    expect(log[event.seq - 1]).toEqual(event);
  }
  for (const [field, kind] of Object.entries(KINDS)) {
    const known = new Set((await control.resources(kind, ALL)).map(({ id }) => id));
    const named = outcomes.map(({ result }) => (result as Record<string, unknown>)[field]);
    expect(named.filter((id) => typeof id === "string" && !known.has(id))).toEqual([]);
  }
  // BLK-02: completed once, even after repeated requests.
  const completed = log.filter(({ name }) => name === "banklink.completed");
  const ids = completed.map(({ body }) => (body as { bankLinkId: string }).bankLinkId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(linkIds.filter((id) => !ids.includes(id))).toEqual([]);
  return log;
}

test("no acknowledged call or event is lost when the sandbox is killed", {
  timeout: 120_000,
}, async () => {
  const receiver = await startReceiver();
  const file = join(tempDir(), "sandbox.db");
  const args = ["--data", file, "--webhook-url", receiver.url, "--validate"];
  const acked: Acknowledged = { outcomes: [], linkIds: [] };
  let program = await startSandboxProgram(args);
  const { events: before } = (await program.control.status()).counts;
  const token = await tokenOf(program);
  let owed = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    await killUnderLoad(program, token, acked);
    program = await startSandboxProgram(args);
    owed += (await program.control.deliveries({ state: "waiting", ...ALL })).length;
    await expectDurable(program, acked);
  }
  const { control, facts } = program;
  expect([acked.outcomes.length > 0, acked.linkIds.length > 0]).toEqual([true, true]);
  // Deliveries were pending when the sandbox was killed.
  expect(owed).toBeGreaterThan(0);
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${facts.baseUrl}/transactions`, { headers })).status).toBe(200);

  // Wait for later events and retried deliveries.
  await control.advance("20d");
  const log = await expectDurable(program, acked);
  const sent = log.filter(({ seq }) => seq > before);
  const deliveries = await control.deliveries(ALL);
  // The outbox lost no event of the log.
  expect(new Set(deliveries.map(({ event }) => event.seq))).toEqual(
    new Set(sent.map(({ seq }) => seq)),
  );
  const seqs = new Map(deliveries.map(({ id, event }) => [id, event.seq]));
  const accepted = new Set([...receiver.acceptedIds].map((id) => seqs.get(id)));
  expect(sent.filter(({ seq }) => !accepted.has(seq))).toEqual([]);
  expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(["delivered"]));
  // Check each resource's order by its events' first arrival.
  const resources = new Map(sent.map(({ seq, resource }) => [seq, resource]));
  const latest = new Map<string, number>();
  for (const seq of new Set(receiver.arrivedIds.map((id) => seqs.get(id) ?? 0))) {
    const resource = resources.get(seq) ?? "";
    expect(latest.get(resource) ?? 0).toBeLessThan(seq);
    latest.set(resource, seq);
  }

  expect(await findingsOf(log)).toEqual([]);
  expect(await program.stop()).toBe(0);
  expect(program.output.stderr).toBe("");
});
