import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type RequirementId, requirements } from "../../generated/requirements.ts";
import { HistoryCheck } from "../../src/contract/history/history-check.ts";
import { checkHistory } from "../../src/contract/history/index.ts";
import { checkEvent } from "../../src/contract/validate.ts";
import { ROOT } from "../document.ts";
import type { HistoryCase } from "./histories/case.ts";
import { type Delivery, without } from "./histories/delivery.ts";
import { expectFindings } from "./histories/expect-findings.ts";
import { cases } from "./histories/index.ts";
import { daysAfter, thenCleared } from "./histories/scenarios.ts";

/** Claims that a history can break but not prove: other checks decide them. */
const UNPROVEN = new Set([
  ...["TXN-15.message-first", "BTX-05.follows", "MAT-07.reason"],
  ...["BLK-05.names-account", "CONV-09.delivery-links"],
]);

const titleOf = ({ requirement, title }: HistoryCase) => `${requirement}: ${title}`;
const twice = (deliveries: readonly Delivery[]) => deliveries.flatMap((one) => [one, one]);
const incomplete = (history: HistoryCase) => ({ ...history, complete: false });

/** The deliveries, interleaved with those of another purchase. */
function interleaved(deliveries: readonly Delivery[]): readonly Delivery[] {
  const others = Object.values(without(thenCleared({ name: "neighbour" }), "link"));
  const both = deliveries.flatMap((one, index) => [...others.slice(index, index + 1), one]);
  return [...both, ...others.slice(deliveries.length)];
}

/** The items, shuffled by the seed. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state;
  };
  return items
    .map((item) => ({ item, place: next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

describe.each(cases.map((history) => [titleOf(history), history] as const))("%s", (_, history) => {
  const { deliveries, expect: label, incomplete: midLife, lines } = history;

  test(`is ${label}`, () => expectFindings(deliveries(), history));

  test(`is ${label} with each delivery sent twice`, () =>
    expectFindings(twice(deliveries()), history));

  test(`is ${label} with other movements after it`, () =>
    expectFindings([...deliveries(), ...daysAfter()], history));

  test(`is ${label} with another purchase interleaved`, () =>
    expectFindings(interleaved(deliveries()), history));

  if (midLife === "reported") {
    test(`is ${label} even if the capture may be incomplete`, () =>
      expectFindings(deliveries(), incomplete(history)));
  }

  if (midLife === "downgraded") {
    test("is a notice if the capture may be incomplete", () =>
      expectFindings(deliveries(), { ...incomplete(history), expect: "notice" }));
  }

  if (lines) {
    test(`names ${lines.join(" and ")}`, async () => {
      const { findings } = await checkHistory(deliveries(), { complete: true });
      const own = findings.filter(({ requirement }) => requirement === history.requirement);
      expect(own.flatMap((finding) => finding.lines)).toEqual(expect.arrayContaining([...lines]));
    });
  }

  test("is a case of each claim that it violates", () => {
    const noted = new Set<string>();
    const check = new HistoryCheck({ complete: true }, (claim) => noted.add(claim));
    const found = deliveries().flatMap(({ headers, body }) => {
      const ofBody = checkEvent(headers["webhook-event-type"], body).findings;
      return check.add({ headers, body }).slice(ofBody.length);
    });
    const violated = [...found, ...check.end()].filter(({ level }) => level !== "notice");
    const claims = violated.map(({ claim }) => `${claim}`);
    expect(claims.filter((claim) => !noted.has(claim) && !UNPROVEN.has(claim))).toEqual([]);
  });

  if (label === "valid" || label === "notice") {
    test(`is ${label} if all deliveries are sent again`, () =>
      expectFindings([...deliveries(), ...deliveries()], history));

    test("is valid if it starts at any of its deliveries", async () => {
      const all = deliveries();
      for (const start of all.keys()) await expectFindings(all.slice(start), incomplete(history));
    });

    test("is valid in any order", async () => {
      for (const seed of [1, 2, 3, 4, 5]) {
        await expectFindings(shuffled(deliveries(), seed), incomplete(history));
      }
    });
  }
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

  test.skipIf(!isThere)("exist (skipped without the interface's folder)", () =>
    expect(index.length).toBeGreaterThan(10),
  );

  test.each(index)("$file is $expect", async ({ file, expect: label, ...breach }) => {
    const lines = readFileSync(`${folder}${file}`, "utf8").trim().split("\n");
    const { requirement = "WHK-01", alsoBreaches = [] } = breach;
    const deliveries = lines.map((line) => JSON.parse(line));
    const expected = { expect: label, requirement, alsoAcceptable: alsoBreaches };
    await expectFindings(deliveries, expected);
    await expectFindings(twice(deliveries), expected);
  });
});

describe("the cases", () => {
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

  test("a violation is labelled derived if its requirement is derived", () => {
    const wrong = cases.filter(({ requirement, expect: label }) => {
      const isDerived = "derived" in requirements[requirement] && requirements[requirement].derived;
      return label === (isDerived ? "invalid" : "derived");
    });
    expect(wrong.map(({ title }) => title)).toEqual([]);
  });

  test("titles are unique", () => {
    const titles = cases.map(titleOf);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });
});
