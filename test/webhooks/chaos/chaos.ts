import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import type { Health } from "../../../src/webhooks/index.ts";
import { uuid } from "../../support/payloads.ts";
import { randomFrom } from "../../support/random.ts";
import { Fleet, isSuccess } from "./fleet.ts";
import type { Kind, MemberSettings, Role } from "./member.ts";
import { type Delivery, type EffectRow, judgeEffects, judgeHealth } from "./oracle.ts";

export const isLong = process.env["TXFEED_CHAOS"] === "long";
/** Determines the deliveries, the order of the faults and most of their details. */
const SEED = Number(process.env["TXFEED_CHAOS_SEED"] ?? Date.now() % 1_000_000);
/** A regular expression that selects faults by name. */
const CHOSEN = new RegExp(process.env["TXFEED_CHAOS_FAULTS"] ?? "");

/** The chaos repeats its round of faults until this many deliveries are acknowledged. */
const DELIVERIES = isLong ? 20_000 : 1;
const RESOURCES = isLong ? 200 : 60;
export const LEASE_MS = isLong ? 8000 : 3000;
/**
 * The mean pause before a delivery of a resource. A single handler of the smallest pool can keep up:
 * a growing backlog would make the time of a recovery meaningless.
 */
const PAUSE_MS = isLong ? 5000 : 1200;
/** Each lane with waiting deliveries moves again within this time after the last fault. */
const RECOVERY_MS = 15_000;
/** When a round is given up. */
const ROUND_LIMIT_MS = 60_000;
const SEND_LIMIT_MS = 5000;
/** How many violations are printed. */
const MAX_SHOWN = 20;
/** The resources that are sent to `direct` receivers. */
const DIRECT_RESOURCES = 10;
const ROLES: readonly Role[] = ["receiver", "receiver", "worker", "worker", "direct", "direct"];

/** Random numbers from 0 to 1. */
export type Random = () => number;

/** Causes a fault and ends it. Resolves to the number of occurrences; no number means one. */
export type Fault = (fleet: Fleet, random: Random) => Promise<unknown>;

/** A database with its faults. */
export interface SetUp {
  readonly title: string;
  readonly settings: (random: Random) => Omit<MemberSettings, "role" | "leaseMs">;
  readonly faults: Readonly<Record<string, Fault>>;
  /** The last fault of a round, which lasts until the result is called. */
  readonly lastFault?: { readonly name: string; begin(fleet: Fleet): Promise<() => void> };
  /** Ends all transactions of the fleet. */
  release?(): Promise<unknown>;
  /** How many effects each resource has. */
  counts(): Promise<ReadonlyMap<string, number>>;
  /** All effects in the order of their handling, and the value of the hot row. */
  effects(): Promise<{ readonly rows: readonly EffectRow[]; readonly heat: number }>;
}

/** Faults of processes. Those of a database run at the same time. */
const PROCESS_FAULTS: Readonly<Record<string, Fault>> = {
  ...Object.fromEntries(
    (["receiver", "worker", "direct"] as const).flatMap((role): [string, Fault][] => [
      [
        `SIGKILL ${role}`,
        async (fleet, random) => fleet.kill(await fleet.choose([role], random), random() * 1000),
      ],
      [
        `SIGSTOP ${role}`,
        async (fleet, random) => {
          const thaw = fleet.freeze(await fleet.choose([role], random));
          await wait(LEASE_MS * (1.1 + random() * 0.5));
          thaw();
        },
      ],
    ]),
  ),
  close: async (fleet, random) => fleet.close(await fleet.choose(["receiver", "worker"], random)),
};

/** A resource, whose deliveries are sent one after another. */
interface Resource {
  readonly id: string;
  readonly isDirect: boolean;
  readonly random: Random;
  isSending: boolean;
  /** How many were acknowledged, and how many of them have an effect at the end. */
  sent: number;
  effects: number;
}

function createResource(n: number): Resource {
  const progress = { isSending: false, sent: 0, effects: 0 };
  const isDirect = n < DIRECT_RESOURCES;
  return { id: uuid(n), isDirect, random: randomFrom(SEED + n), ...progress };
}

function chooseKind({ isDirect, random }: Resource): Kind {
  const luck = random();
  if (luck < 0.12) return "hot";
  if (luck < 0.13) return "slow";
  if (luck < 0.18) return "failing";
  return luck < 0.21 && !isDirect ? "refused" : "plain";
}

/** Runs the chaos, prints its table, and fails if the oracle found a violation. */
export async function runChaos(setUp: SetUp): Promise<void> {
  const random = randomFrom(SEED);
  const fleet = new Fleet(ROLES, (role) => ({
    role,
    leaseMs: LEASE_MS,
    ...setUp.settings(random),
  }));
  const resources = Array.from({ length: RESOURCES }, (_, n) => createResource(n));
  const hits = new Map<string, number>();
  const violations: string[] = [];
  const recoveries: number[] = [];
  await fleet.ready();

  const isOver = new AbortController();
  const isGivenUp = new AbortController();
  const sending = Promise.all(
    resources.map((one) => sendAll(fleet, one, isOver.signal, isGivenUp.signal)),
  );
  for (let stuck = 0; stuck === 0 && fleet.acknowledged.length < DELIVERIES; ) {
    const each = async ([name, fault]: [string, Fault]) => {
      const times = await fault(fleet, random);
      hits.set(name, (hits.get(name) ?? 0) + (typeof times === "number" ? times : 1));
      await wait(200 + random() * 800);
    };
    await Promise.all([PROCESS_FAULTS, setUp.faults].map((all) => inOrder(all, random, each)));

    const last = setUp.lastFault && CHOSEN.test(setUp.lastFault.name) ? setUp.lastFault : undefined;
    const end = await last?.begin(fleet);
    if (last) hits.set(last.name, recoveries.length + 1);
    const recovery = await watchLanes(setUp, resources);
    recoveries.push(recovery.timeMs);
    stuck = recovery.stuck;
    if (recovery.timeMs > RECOVERY_MS) {
      const seconds = (recovery.timeMs / 1000).toFixed(1);
      const round = `round ${recoveries.length}`;
      violations.push(`${round}: a lane did not move for ${seconds} s; at last ${stuck} wait`);
    }
    end?.();
  }
  isOver.abort();
  const late = setTimeout(() => isGivenUp.abort(), ROUND_LIMIT_MS);
  await sending;
  clearTimeout(late);
  await judge(setUp, fleet, hits, recoveries, violations);
}

/** Ends the fleet, prints the table, and fails if there is a violation. */
async function judge(
  setUp: SetUp,
  fleet: Fleet,
  hits: ReadonlyMap<string, number>,
  recoveries: readonly number[],
  violations: string[],
): Promise<void> {
  await fleet.stopObserving();
  // What is stuck is not lost if new processes handle it.
  if (!(await isSettled(setUp, fleet, RECOVERY_MS))) {
    await setUp.release?.();
    for (const member of fleet.members) await fleet.kill(member, 0);
    await isSettled(setUp, fleet, ROUND_LIMIT_MS);
  }

  const { rows, heat } = await setUp.effects();
  const totals = judgeEffects(fleet.acknowledged, rows);
  for (const [what, count] of Object.entries(totals)) {
    if (count > 0) violations.push(`effects: ${count} ${what}`);
  }
  const hot = rows.filter(({ kind }) => kind === "hot").length;
  if (heat !== hot) violations.push(`the hot row counts ${heat} instead of ${hot}`);
  const refused = fleet.acknowledged.filter(({ kind }) => kind === "refused").length;
  const { quarantined, waiting, stalled } = (await statusOf(fleet)) ?? {};
  if (quarantined !== refused || waiting !== 0 || stalled !== 0) {
    const found = `${waiting} deliveries wait, ${stalled} lanes are stalled`;
    violations.push(`${found}, ${quarantined} are in quarantine instead of ${refused}`);
  }
  await fleet.closeAll();
  const health = judgeHealth(fleet.observations);
  violations.push(...health, ...fleet.failures);

  const faults = [...hits].map(([name, count]) => [`fault: ${name}`, count] as const);
  const facts = [
    ...faults.toSorted(([one], [other]) => one.localeCompare(other)),
    ["acknowledged", fleet.acknowledged.length],
    ...Object.entries(totals),
    ["recoveries in s", recoveries.map((timeMs) => (timeMs / 1000).toFixed(1)).join(" ")],
    ["in quarantine, asked for", `${quarantined}, ${refused}`],
    ["observations of health", fleet.observations.length],
    ["health violations", health.length],
    ["processes that failed", fleet.failures.length],
  ] as const;
  const title = `${setUp.title}: seed ${SEED}, lease ${LEASE_MS} ms`;
  const shown = violations.slice(0, MAX_SHOWN);
  if (violations.length > MAX_SHOWN) shown.push(`and ${violations.length - MAX_SHOWN} more`);
  const lines = facts.map(([name, value]) => `  ${name.padEnd(60)} ${value}`);
  console.log([title, ...lines, ...shown.map((one) => `  violation: ${one}`), ""].join("\n"));
  expect(shown, setUp.title).toEqual([]);
}

/** Runs faults one after another, in random order. */
async function inOrder(
  faults: Readonly<Record<string, Fault>>,
  random: Random,
  run: (fault: [string, Fault]) => Promise<void>,
): Promise<void> {
  const shuffled = Object.entries(faults)
    .filter(([name]) => CHOSEN.test(name))
    .map((fault) => ({ fault, at: random() }))
    .toSorted((one, other) => one.at - other.at);
  for (const { fault } of shuffled) await run(fault);
}

/** Sends deliveries of a resource in order, each until it is acknowledged. */
async function sendAll(
  fleet: Fleet,
  resource: Resource,
  isOver: AbortSignal,
  isGivenUp: AbortSignal,
): Promise<void> {
  const { random } = resource;
  const roles: Role[] = resource.isDirect ? ["direct"] : ["receiver", "worker"];
  for (;;) {
    const pauseMs = random() * 2 * PAUSE_MS;
    await wait(pauseMs, undefined, { signal: isOver }).catch(() => undefined);
    if (isOver.aborted) return;
    const kind = chooseKind(resource);
    const delivery: Delivery = { resource: resource.id, number: resource.sent, kind };
    resource.isSending = true;
    for (;;) {
      if (isGivenUp.aborted) return;
      // Some deliveries are sent twice at the same time.
      const times = random() < 0.1 ? 2 : 1;
      const sends = Array.from({ length: times }, async () =>
        fleet.send(await fleet.choose(roles, random), delivery, SEND_LIMIT_MS),
      );
      if ((await Promise.all(sends)).some(isSuccess)) break;
      await wait(50 + random() * 100);
    }
    fleet.acknowledged.push(delivery);
    resource.isSending = false;
    resource.sent += 1;
    if (kind !== "refused") resource.effects += 1;
  }
}

/**
 * Waits until each lane that waits now has moved. Resolves to how long that took, and to how many
 * lanes have not moved at the time limit.
 */
async function watchLanes(setUp: SetUp, resources: readonly Resource[]) {
  const start = performance.now();
  const before = new Map<Resource, number>();
  const unmoved = new Set(resources);
  for (;;) {
    const counts = await setUp.counts().catch(() => undefined);
    const timeMs = performance.now() - start;
    for (const resource of counts ? unmoved : []) {
      const count = counts?.get(resource.id) ?? 0;
      const isWaiting = resource.isSending || count < resource.effects;
      if (!before.has(resource)) before.set(resource, count);
      if (!isWaiting || count > (before.get(resource) ?? 0)) unmoved.delete(resource);
    }
    if (unmoved.size === 0 || timeMs > ROUND_LIMIT_MS) return { timeMs, stuck: unmoved.size };
    await wait(200);
  }
}

/** Waits until all acknowledged deliveries have their effects. Resolves to whether they do. */
async function isSettled(setUp: SetUp, fleet: Fleet, limitMs: number): Promise<boolean> {
  for (const until = performance.now() + limitMs; performance.now() < until; await wait(500)) {
    const effects = await setUp.effects().catch(() => undefined);
    if (effects && judgeEffects(fleet.acknowledged, effects.rows).lost === 0) return true;
  }
  return false;
}

/** The numbers of the inbox, as a process reports them when no delivery waits any more. */
async function statusOf(fleet: Fleet) {
  let inbox: Health["inbox"] | undefined;
  for (const until = performance.now() + RECOVERY_MS; performance.now() < until; await wait(500)) {
    const member = await fleet.choose(["worker"], Math.random);
    inbox = (await fleet.health(member))?.inbox ?? inbox;
    if (inbox?.waiting === 0) break;
  }
  return inbox;
}
