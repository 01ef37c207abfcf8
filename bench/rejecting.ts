import { validateEvent } from "../src/contract/index.ts";
import { runInChild, serveJob } from "./child.ts";
import { createBatches, median, rotate, timeMs } from "./measure.ts";
import { type Kind, payloadTexts } from "./payloads.ts";
import { atMost, ratioText, type Target } from "./report.ts";
import type { Section } from "./section.ts";

const KINDS = ["valid", "invalid", "invalid by a rule", "invalid in five fields"] as const;
const EVENT = "transaction.updated";
const BATCH = 64;
const WARM_UP_ROUNDS = 30;
const LIMIT = 3;

interface Job {
  readonly rounds: number;
  readonly turn: number;
}

/** The time of a kind relative to a valid transaction. */
interface Cost {
  readonly kind: Kind;
  readonly findings: number;
  readonly validation: number;
  readonly withParse: number;
}

async function measure({ rounds, turn }: Job): Promise<Cost[]> {
  const entries = KINDS.map((kind) => {
    const texts = payloadTexts(EVENT, kind, BATCH * 4);
    const { findings } = validateEvent(EVENT, JSON.parse(texts[0] ?? ""));
    const next = createBatches(texts, BATCH);
    return { kind, next, findings: findings.length, aloneMs: 0, withParseMs: 0 };
  });
  const costs = entries.map(() => ({ validation: [] as number[], withParse: [] as number[] }));
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
    for (const entry of rotate(entries, turn + round)) {
      const texts = entry.next();
      const bodies = texts.map((text) => JSON.parse(text));
      entry.aloneMs = timeMs(() => count(bodies, (body) => body));
      entry.withParseMs = timeMs(() => count(texts, (text) => JSON.parse(text as string)));
    }
    const [valid] = entries;
    if (!valid || round < WARM_UP_ROUNDS) continue;
    for (const [at, { aloneMs, withParseMs }] of entries.entries()) {
      costs[at]?.validation.push(aloneMs / valid.aloneMs);
      costs[at]?.withParse.push(withParseMs / valid.withParseMs);
    }
  }
  return entries.map(({ kind, findings }, at) => {
    const { validation = [], withParse = [] } = costs[at] ?? {};
    return { kind, findings, validation: median(validation), withParse: median(withParse) };
  });
}

function count(batch: readonly unknown[], bodyOf: (one: unknown) => unknown): number {
  let findings = 0;
  for (const one of batch) findings += validateEvent(EVENT, bodyOf(one)).findings.length;
  return findings;
}

/** The time to reject a transaction with its findings, relative to accepting a valid one. */
export const rejecting: Section = async ({ processes, isQuick }) => {
  const runs: Cost[][] = [];
  for (let turn = 0; turn < processes; turn += 1) {
    runs.push(await runInChild(new URL(import.meta.url), { rounds: isQuick ? 4 : 80, turn }));
  }
  const costs = KINDS.map((kind, at) => {
    const own = runs.flatMap((run) => run[at] ?? []);
    const middle = (of: (cost: Cost) => number) => median(own.map(of));
    const validation = middle((cost) => cost.validation);
    const withParse = middle((cost) => cost.withParse);
    return { kind, findings: own[0]?.findings ?? 0, validation, withParse };
  });
  return {
    tables: [
      {
        title: "Rejecting a transaction with its findings, relative to accepting a valid one",
        columns: ["findings", "validation only", "with parsing"],
        rows: costs.map(({ kind, findings, validation, withParse }) => {
          if (kind !== "valid" && findings === 0) return [`${kind}: not reported in this version`];
          return [kind, String(findings), ratioText(validation), ratioText(withParse)];
        }),
      },
    ],
    targets: costs.filter(({ kind }) => kind === "invalid").flatMap(targetsOf),
  };
};

function targetsOf({ validation, withParse }: Cost): Target[] {
  const text = (value: number) => `${ratioText(value)} x accepting`;
  return [
    atMost("rejecting an invalid transaction, with parsing", LIMIT, withParse, text),
    atMost("rejecting an invalid transaction, validation only", LIMIT, validation, text),
  ];
}

if (import.meta.main) serveJob(measure);
