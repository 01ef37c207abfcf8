import { median } from "../measure.ts";
import { type Kind, measuredPayloads } from "../payloads.ts";
import { atMost, ratioText, type Table, type Target } from "../report.ts";
import type { Section } from "../section.ts";
import { checkEquivalence, type Equivalence } from "./equivalence.ts";
import { libraries } from "./libraries/index.ts";
import { MEASURED_EVENTS } from "./libraries/library.ts";
import { measureInChild, type Ratio, WITH_PARSE } from "./worker.ts";

const TXFEED = "txfeed";
const SCHEMA_ONLY = "txfeed, schema only";
const AJV = "ajv";
const KINDS = ["valid", "invalid"] as const satisfies readonly Kind[];

/** Limits of parsing with schema and rules, relative to parsing; every payload has new ids. */
const LIMITS = {
  "transaction.updated": 1.45,
  "banktransaction.created": 1.6,
  "transaction.match.created": 1.45,
} as const;
/** Limit of validating the schema only, relative to the fastest other library. */
const OVER_FASTEST = 1.05;
/** Limit of rejecting with findings, relative to AJV's rejecting. */
const OVER_AJV = 2;

/** Time of validation relative to `JSON.parse` of the same text, of txfeed and other libraries. */
export const validation: Section = async ({ processes, isQuick }) => {
  const results = new Map<string, Equivalence | Error>();
  for (const [name, load] of Object.entries(libraries)) {
    // A library that cannot be set up becomes a row of the report; the benchmark continues.
    results.set(name, await load().then(checkEquivalence).catch(asError));
  }
  const own = results.get(TXFEED);
  if (own instanceof Error) throw own;
  const names = [...results]
    .filter(([, result]) => !(result instanceof Error))
    .map(([name]) => name);
  const ratios: Ratio[] = [];
  for (let turn = 0; turn < processes; turn += 1) {
    ratios.push(...(await measureInChild({ names, rounds: isQuick ? 4 : 60, turn })));
  }
  const ratioOf: RatioOf = (name, event, kind) => {
    const isIt = (one: Ratio) => one.name === name && one.event === event && one.kind === kind;
    return median(ratios.filter(isIt).map(({ ratio }) => ratio));
  };
  return {
    tables: tablesOf(results, ratioOf),
    targets: [
      ...parseTargets(ratioOf),
      ...libraryTargets(results, ratioOf),
      ...rejectTargets(ratioOf),
    ],
  };
};

type Results = ReadonlyMap<string, Equivalence | Error>;
type RatioOf = (name: string, event: (typeof MEASURED_EVENTS)[number], kind: Kind) => number;

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

const TITLES: Readonly<Record<(typeof KINDS)[number], string>> = {
  valid: "Accepting: validation relative to JSON.parse of the same text",
  invalid: "Rejecting: the same for payloads with one error, including the error report",
};

function tablesOf(results: Results, ratioOf: RatioOf): Table[] {
  const [notes, misses] = [notesOf(results), missesOf(results)];
  return KINDS.map((kind) => {
    const figures = (name: string) =>
      MEASURED_EVENTS.map((event) => ratioText(ratioOf(name, event, kind)));
    const rows = [...results].map(([name, result]) => {
      if (result instanceof Error) return [`${name}: cannot be set up`];
      const title = name === TXFEED ? `${name}, schema and rules` : name;
      return [result.misses.length > 0 ? `${title} *` : title, ...figures(name)];
    });
    rows.splice(2, 0, [WITH_PARSE, ...figures(WITH_PARSE)]);
    const columns = MEASURED_EVENTS.map((event) => measuredPayloads[event].title);
    return { title: TITLES[kind], columns, rows, notes: kind === "valid" ? notes : misses };
  });
}

function notesOf(results: Results): string[] {
  const payloads = [...results.values()].map((result) =>
    result instanceof Error ? 0 : result.payloads,
  );
  return [
    'txfeed checks schema and rules; "schema only" and the other libraries check the schema.',
    `Each library first validated ${Math.max(...payloads)} valid and invalid payloads correctly.`,
    ...missesOf(results),
  ];
}

function missesOf(results: Results): string[] {
  return [...results].flatMap(([name, result]) => {
    if (result instanceof Error) return [`${name}: ${result.message.split("\n")[0]}`];
    return result.misses.length > 0 ? [`* ${name} ${result.misses.join(", ")}`] : [];
  });
}

function parseTargets(ratioOf: RatioOf): Target[] {
  const text = (value: number) => `${ratioText(value)} x JSON.parse`;
  return MEASURED_EVENTS.map((event) => {
    const what = `parse, schema and rules of a ${measuredPayloads[event].title}`;
    return atMost(what, LIMITS[event], ratioOf(WITH_PARSE, event, "valid"), text);
  });
}

function libraryTargets(results: Results, ratioOf: RatioOf): Target[] {
  const others = [...results].filter(
    ([name, result]) =>
      ![TXFEED, SCHEMA_ONLY].includes(name) &&
      !(result instanceof Error) &&
      result.misses.length === 0,
  );
  return MEASURED_EVENTS.map((event) => {
    const fastest = Math.min(...others.map(([name]) => ratioOf(name, event, "valid")));
    const what = `schema only of a ${measuredPayloads[event].title}`;
    const text = (value: number) => `${ratioText(value)} x the fastest other library`;
    return atMost(what, OVER_FASTEST, ratioOf(SCHEMA_ONLY, event, "valid") / fastest, text);
  });
}

function rejectTargets(ratioOf: RatioOf): Target[] {
  const text = (value: number) => `${ratioText(value)} x ajv`;
  return MEASURED_EVENTS.map((event) => {
    const what = `rejecting a ${measuredPayloads[event].title} with its findings`;
    const ratio = ratioOf(TXFEED, event, "invalid") / ratioOf(AJV, event, "invalid");
    return atMost(what, OVER_AJV, ratio, text);
  });
}
