import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { checkHistory } from "../../src/contract/index.ts";
import type { Kind, Outcome, VerbName, VerbParams } from "../../src/sandbox/index.ts";
import { serve } from "../support/local-server.ts";
import { type SandboxProgram, startSandboxProgram, tokenOf } from "../support/sandbox-program.ts";
import { tempDir } from "../support/temp-dir.ts";

const ROUNDS = 3;
/** The number of acknowledged calls per round. */
const CALLS = 120;

/** Everything acknowledged, over all rounds. */
class Acknowledged {
  readonly outcomes: Outcome[] = [];
  /** The bank links whose PATCH returned 200. */
  readonly linkIds: string[] = [];
  crash: () => void = () => undefined;

  get count(): number {
    return this.outcomes.length + this.linkIds.length;
  }

  outcome(outcome: Outcome): void {
    this.outcomes.push(outcome);
    this.crash();
  }

  link(id: string): void {
    this.linkIds.push(id);
    this.crash();
  }
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
  const { bankLinkId } = await trigger("link-start");
  await complete(bankLinkId);
};

/** Runs all clients at full speed and kills the program meanwhile. */
async function killUnderLoad(program: SandboxProgram, token: string, acked: Acknowledged) {
  const { control } = program;
  const { baseUrl } = program.facts;
  const end = acked.count + CALLS;
  const killed = new Promise<unknown>((resolve) => {
    acked.crash = () => {
      if (acked.count === end) resolve(program.stop("SIGKILL"));
    };
  });
  const trigger: Trigger = async (verb, params) => {
    const outcome = await control.trigger(verb, params);
    acked.outcome(outcome as Outcome);
    return outcome.result;
  };
  const complete = async (id: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const reply = await fetch(`${baseUrl}/bank-links/${id}`, { method: "PATCH", headers });
    expect(reply.status).toBe(200);
    acked.link(id);
  };
  const clients = [buying, buying, posting, enrolling, linking, linking].map(async (script) => {
    while (!program.child.killed) {
      await script(trigger, complete).catch((error) => {
        // A verb may have no applicable resource left. Other failures are calls without a response.
        if (error.status !== 409 && error.cause === undefined) throw error;
      });
    }
  });
  await Promise.all([killed, ...clients]);
}

const KINDS: Record<string, Kind> = {
  transactionId: "transactions",
  messageId: "transaction-messages",
  bankTransactionId: "bank-transactions",
  subscriptionId: "card-subscriptions",
  cardId: "cards",
  bankLinkId: "bank-links",
};

/** The resources named by responses, by kind. */
function namedResources(outcomes: readonly Outcome[]): [Kind, string][] {
  return outcomes.flatMap(({ result }) =>
    Object.entries(result ?? {}).flatMap(([name, id]) => {
      const kind = KINDS[name];
      return kind && typeof id === "string" ? [[kind, id] as [Kind, string]] : [];
    }),
  );
}

async function expectDurable({ control }: SandboxProgram, acked: Acknowledged) {
  const log = await control.events({ limit: 1_000_000 });
  for (const { events } of acked.outcomes) {
    for (const event of events) expect(log[event.seq - 1]).toEqual(event);
  }
  const known = new Set<string>();
  for (const kind of new Set(Object.values(KINDS))) {
    const shown = await control.resources(kind, { limit: 1_000_000 });
    for (const { id } of shown) known.add(`${kind} ${id}`);
  }
  const named = namedResources(acked.outcomes).map(([kind, id]) => `${kind} ${id}`);
  expect(named.filter((one) => !known.has(one))).toEqual([]);
  // BLK-02: completed once, even after repeated requests.
  const completed = log.filter(({ name }) => name === "banklink.completed");
  const ids = completed.map(({ body }) => (body as { bankLinkId: string }).bankLinkId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(acked.linkIds.filter((id) => !ids.includes(id))).toEqual([]);
  return log;
}

test("no acknowledged call or event is lost when the sandbox is killed", {
  timeout: 120_000,
}, async () => {
  const directory = tempDir();
  const receiver = await startReceiver();
  const file = join(directory, "sandbox.db");
  const args = ["--data", file, "--webhook-url", receiver.url, "--validate"];
  const acked = new Acknowledged();
  let program = await startSandboxProgram(args);
  const { events: before } = (await program.control.status()).counts;
  const token = await tokenOf(program);
  let owed = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    await killUnderLoad(program, token, acked);
    program = await startSandboxProgram(args);
    owed += (await program.control.deliveries({ state: "waiting", limit: 1_000_000 })).length;
    await expectDurable(program, acked);
  }
  expect(acked.outcomes.length).toBeGreaterThan(0);
  expect(acked.linkIds.length).toBeGreaterThan(0);
  // Deliveries were pending when the sandbox was killed.
  expect(owed).toBeGreaterThan(0);
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${program.facts.baseUrl}/transactions`, { headers })).status).toBe(200);

  // Wait for later events and retried deliveries.
  await program.control.advance("20d");
  const log = await expectDurable(program, acked);
  const sent = log.filter(({ seq }) => seq > before);
  const deliveries = await program.control.deliveries({ limit: 1_000_000 });
  const seqs = new Map(deliveries.map(({ id, event }) => [id, event.seq]));
  const accepted = new Set([...receiver.acceptedIds].map((id) => seqs.get(id)));
  expect(sent.filter(({ seq }) => !accepted.has(seq))).toEqual([]);
  expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(["delivered"]));
  // Check each resource's order by its events' first arrival.
  const arrived = new Set(receiver.arrivedIds.map((id) => seqs.get(id)));
  const resources = new Map(sent.map(({ seq, resource }) => [seq, resource]));
  const latest = new Map<string, number>();
  for (const seq of arrived) {
    const resource = resources.get(seq ?? 0) ?? "";
    expect(latest.get(resource) ?? 0).toBeLessThan(seq ?? 0);
    latest.set(resource, seq ?? 0);
  }

  const history = log.map(({ at, name, body }) => {
    return { receivedAt: at, headers: { "webhook-event-type": name }, body };
  });
  const { findings } = await checkHistory(history, { complete: true });
  expect(findings.filter(({ level }) => level !== "notice")).toEqual([]);
  expect(await program.stop()).toBe(0);
  expect(program.output.stderr).toBe("");
});
