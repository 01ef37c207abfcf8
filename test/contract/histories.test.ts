import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type RequirementId, requirements } from "../../generated/requirements.ts";
import { checkHistory } from "../../src/contract/history/index.ts";
import { ROOT } from "../document.ts";
import type { HistoryCase } from "./histories/case.ts";
import { type Delivery, without } from "./histories/delivery.ts";
import { cases } from "./histories/index.ts";
import { daysAfter, thenCleared } from "./histories/stories.ts";

type Judged = Pick<HistoryCase, "expect" | "requirement" | "alsoAcceptable" | "complete">;

/** Whether the history is judged as the case says; where not, the findings show it. */
async function holds(deliveries: readonly Delivery[], judged: Judged): Promise<void> {
  const { complete = true } = judged;
  const { ok, findings } = await checkHistory(deliveries, { complete });
  const told = findings
    .filter(({ level }) => level !== "notice")
    .map(({ level, requirement, lines }) => `${level} ${requirement} at ${lines.join(", ")}`);
  const named = findings.filter(({ requirement }) =>
    [judged.requirement, ...(judged.alsoAcceptable ?? [])].includes(requirement),
  );
  const levels = named.map(({ level }) => level);
  if (judged.expect === "valid" || judged.expect === "notice") return expect(told).toEqual([]);
  const blame = { valid: "", notice: "", invalid: "error", derived: "warning" }[judged.expect];
  expect(levels, told.join("; ") || "no finding").toContain(blame);
  expect(ok, told.join("; ")).toBe(judged.expect === "derived");
}

/** Numbers from 0 up to 1 that follow from the seed; mulberry32. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const next = random(seed);
  return items
    .map((item) => ({ item, place: next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

const named = cases.map((history) => ({
  history,
  name: `${history.requirement}: ${history.title}`,
}));
const blameless = named.filter(({ history }) => ["valid", "notice"].includes(history.expect));
const neighbour = () => without(thenCleared({ name: "neighbour" }), "link");
const incomplete = (history: HistoryCase) => ({ ...history, complete: false });

describe("each case, complete unless it says otherwise", () => {
  test.each(named)("$name ($history.expect)", async ({ history }) => {
    await holds(history.deliveries(), history);
  });

  test.each(named)("$name, each delivery repeated at once", async ({ history }) => {
    await holds(
      history.deliveries().flatMap((delivery) => [delivery, delivery]),
      history,
    );
  });

  test.each(named)("$name, other movements follow", async ({ history }) => {
    await holds([...history.deliveries(), ...daysAfter()], history);
  });

  test.each(named)("$name, another purchase goes on in between", async ({ history }) => {
    const others = Object.values(neighbour());
    const deliveries = history.deliveries();
    const woven = deliveries.flatMap((delivery, index) => [
      ...others.slice(index, index + 1),
      delivery,
    ]);
    await holds([...woven, ...others.slice(deliveries.length)], history);
  });

  test.each(named.filter(({ history }) => history.lines))(
    "$name points at the deliveries concerned",
    async ({ history }) => {
      const { findings } = await checkHistory(history.deliveries(), {
        complete: history.complete ?? true,
      });
      const at = findings
        .filter(({ requirement }) => requirement === history.requirement)
        .flatMap(({ lines }) => lines);
      expect(at).toEqual(expect.arrayContaining([...(history.lines ?? [])]));
    },
  );
});

describe("what may begin mid-life and be overtaken", () => {
  test.each(named.filter(({ history }) => history.incomplete === "judged"))(
    "$name is judged all the same",
    ({ history }) => holds(history.deliveries(), incomplete(history)),
  );

  test.each(named.filter(({ history }) => history.incomplete === "excused"))(
    "$name is excused",
    ({ history }) => holds(history.deliveries(), { ...incomplete(history), expect: "notice" }),
  );
});

describe("a history without fault", () => {
  test.each(blameless)("$name, played twice", async ({ history }) => {
    await holds([...history.deliveries(), ...history.deliveries()], history);
  });

  test.each(blameless)("$name, from each of its deliveries on", async ({ history }) => {
    const deliveries = history.deliveries();
    for (const start of deliveries.keys()) {
      await holds(deliveries.slice(start), incomplete(history));
    }
  });

  test.each(blameless)("$name, in any order", async ({ history }) => {
    for (const seed of [1, 2, 3]) {
      await holds(shuffled(history.deliveries(), seed), incomplete(history));
    }
  });
});

describe("the labelled histories", () => {
  const folder = `${ROOT}../shared/examples/histories/`;
  const isThere = existsSync(folder);
  const index: {
    file: string;
    expect: HistoryCase["expect"];
    requirement?: RequirementId;
    alsoBreaches?: RequirementId[];
  }[] = isThere ? JSON.parse(readFileSync(`${folder}histories.json`, "utf8")) : [];

  test.skipIf(!isThere)("are there (skipped where the interface is not beside the checkout)", () =>
    expect(index.length).toBeGreaterThan(10),
  );

  test.each(index)("$file is $expect", async ({ file, expect: label, ...label_ }) => {
    const lines = readFileSync(`${folder}${file}`, "utf8").trim().split("\n");
    const { requirement = "WHK-01", alsoBreaches = [] } = label_;
    const deliveries = lines.map((line) => JSON.parse(line));
    const judged = { expect: label, requirement, alsoAcceptable: alsoBreaches };
    await holds(deliveries, judged);
    await holds(
      deliveries.flatMap((delivery) => [delivery, delivery]),
      judged,
    );
  });
});

describe("the cases themselves", () => {
  const ofSequences = Object.entries(requirements).filter(([, { how }]) =>
    (how as readonly string[]).includes("sequence"),
  );

  test.each(ofSequences)(
    "%s has two histories that break it and one that doesn't",
    (requirement) => {
      const own = cases.filter((history) => history.requirement === requirement);
      const broken = own.filter(({ expect: label }) => label === "invalid" || label === "derived");
      expect(broken.length).toBeGreaterThanOrEqual(2);
      expect(own.some(({ expect: label }) => label === "valid")).toBe(true);
    },
  );

  test("a breach is labelled derived where the requirement is", () => {
    const wrong = cases.filter(({ requirement, expect: label }) => {
      const isDerived = "derived" in requirements[requirement] && requirements[requirement].derived;
      return label === (isDerived ? "invalid" : "derived");
    });
    expect(wrong.map(({ title }) => title)).toEqual([]);
  });

  test("titles are unique", () => {
    const titles = named.map(({ name }) => name);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });
});
