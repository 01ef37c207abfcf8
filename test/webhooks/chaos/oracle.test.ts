import { expect, test } from "vitest";
import { type EffectRow, judgeEffects, judgeHealth, type Observation } from "./oracle.ts";

const delivery = (number: number, kind: EffectRow["kind"] = "plain") => ({
  ...{ resource: "one", number, kind },
});
const effect = (number: number, missing = 0) => ({ ...delivery(number), missing });
const SENT = [delivery(0), delivery(1, "refused"), delivery(2), delivery(3)];

test.each([
  ["nothing", [effect(0), effect(2, 1), effect(3, 1)], {}],
  ["a lost delivery", [effect(0), effect(3, 1)], { lost: 1 }],
  ["a delivery out of order", [effect(0), effect(3, 1), effect(2, 1)], { disordered: 1 }],
  ["a repeated effect", [effect(0), effect(2, 1), effect(3, 1), effect(2, 1)], { twice: 1 }],
  ["a wrong number of missing ones", [effect(0), effect(2), effect(3, 1)], { wrong: 1 }],
])("the oracle finds %s", (_title, effects, found) => {
  const none = { lost: 0, disordered: 0, twice: 0, wrong: 0 };
  expect(judgeEffects(SENT, effects)).toEqual({ ...none, ...found });
});

const observation = (what: Observation["what"], start: number, ok: boolean): Observation => ({
  ...{ life: "worker 1", what, start, end: start + 100, ok, isAnswered: true, text: "{}" },
});
/** Probes for 20 s, which fail at first and succeed from `healedAt` on. */
const probes = (healedAt: number) =>
  Array.from({ length: 40 }, (_, at) => observation("probe", at * 500, at * 500 >= healedAt));

test.each([
  ["ok though receipts fail", 20_000, 10_000, true],
  ["not ok though receipts succeed", 0, 10_000, false],
])("the oracle finds a health that is %s", (_title, healedAt, start, ok) => {
  const seen = [...probes(healedAt), observation("reading", start, ok)];
  expect(judgeHealth(seen)).toEqual([
    expect.stringMatching(/^worker 1: .*\(1 reading\), though .*: \{\}$/),
  ]);
});

test.each([
  ["within 9 s", 20_000, 8000, true],
  ["after 9 s of failures, when they end", 10_000, 10_050, true],
  ["that agrees", 20_000, 10_000, false],
])("the oracle permits a health %s", (_title, healedAt, start, ok) => {
  expect(judgeHealth([...probes(healedAt), observation("reading", start, ok)])).toEqual([]);
});

test("the oracle permits a health that is not ok while a receipt waits", () => {
  const slow = { ...observation("probe", 9600, true), end: 11_000 };
  const seen = [...probes(0).filter(({ start }) => start < 9500), slow];
  expect(judgeHealth([...seen, observation("reading", 10_000, false)])).toEqual([]);
});

test("the oracle permits a health that is ok while a receipt waits", () => {
  const slow = { ...observation("probe", 10_000, false), end: 14_000 };
  const seen = [...probes(20_000).filter(({ start }) => start < 10_000), slow];
  expect(judgeHealth([...seen, observation("reading", 11_000, true)])).toEqual([]);
});

test("the oracle finds a process that does not respond", () => {
  expect(judgeHealth([{ ...observation("reading", 0, false), isAnswered: false }])).toEqual([
    "worker 1: no response to a reading within 6 s: 1",
  ]);
});
