import { median } from "../measure.ts";
import { type Kind, measuredPayloads } from "../payloads.ts";
import { atMost, ratioText, type Table, type Target } from "../report.ts";
import type { Section } from "../section.ts";
import { checkEquivalence, type Equivalence } from "./equivalence.ts";
import { libraries } from "./libraries/index.ts";
import { MEASURED_EVENTS } from "./libraries/library.ts";
import { measureInChild, type Ratio, WITH_PARSE } from "./worker.ts";

const OURS = "txfeed";
const SHAPE = "txfeed, shape alone";
const AJV = "ajv";
const KINDS = ["sound", "broken"] as const satisfies readonly Kind[];

/** What an event's parse, schema and rules may cost, over the parsing alone; each id is new. */
const LIMITS = {
  "transaction.updated": 1.45,
  "banktransaction.created": 1.6,
  "transaction.match.created": 1.45,
} as const;
/** What the shape alone may cost, over the fastest peer. */
const OVER_PEER = 1.05;
/** What rejecting with findings may cost, over AJV's own rejecting. */
const OVER_AJV = 2;

/** Validation beside `JSON.parse` of the same text, ours and that of the peers. */
export const validation: Section = async ({ processes, isQuick }) => {
  const proven = new Map<string, Equivalence | Error>();
  for (const [name, load] of Object.entries(libraries)) {
    // A peer that can't be set up is a row of the report, not the end of the bench.
    proven.set(name, await load().then(checkEquivalence).catch(asError));
  }
  const own = proven.get(OURS);
  if (own instanceof Error) throw own;
  const names = [...proven]
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
    tables: tablesOf(proven, ratioOf),
    targets: [...parseTargets(ratioOf), ...peerTargets(proven, ratioOf), ...rejectTargets(ratioOf)],
  };
};

type Contestants = ReadonlyMap<string, Equivalence | Error>;
type RatioOf = (name: string, event: (typeof MEASURED_EVENTS)[number], kind: Kind) => number;

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

const TITLES: Readonly<Record<(typeof KINDS)[number], string>> = {
  sound: "Accepting: validation over JSON.parse of the same text",
  broken: "Rejecting: the same of payloads with one fault, telling what it is",
};

function tablesOf(proven: Contestants, ratioOf: RatioOf): Table[] {
  const [notes, misses] = [notesOf(proven), missesOf(proven)];
  return KINDS.map((kind) => {
    const figures = (name: string) =>
      MEASURED_EVENTS.map((event) => ratioText(ratioOf(name, event, kind)));
    const rows = [...proven].map(([name, result]) => {
      if (result instanceof Error) return [`${name}: can't be set up`];
      const title = name === OURS ? `${name}, schema and rules` : name;
      return [result.misses.length > 0 ? `${title} *` : title, ...figures(name)];
    });
    rows.splice(2, 0, [WITH_PARSE, ...figures(WITH_PARSE)]);
    const columns = MEASURED_EVENTS.map((event) => measuredPayloads[event].title);
    return { title: TITLES[kind], columns, rows, notes: kind === "sound" ? notes : misses };
  });
}

function notesOf(proven: Contestants): string[] {
  const asked = [...proven.values()].map((result) =>
    result instanceof Error ? 0 : result.payloads,
  );
  return [
    "txfeed checks schema and rules; its shape alone and the others check the schema.",
    `Each was asked first about ${Math.max(...asked)} sound and broken payloads.`,
    ...missesOf(proven),
  ];
}

function missesOf(proven: Contestants): string[] {
  return [...proven].flatMap(([name, result]) => {
    if (result instanceof Error) return [`${name}: ${result.message.split("\n")[0]}`];
    return result.misses.length > 0 ? [`* ${name} ${result.misses.join(", ")}`] : [];
  });
}

function parseTargets(ratioOf: RatioOf): Target[] {
  const text = (value: number) => `${ratioText(value)} x JSON.parse`;
  return MEASURED_EVENTS.map((event) => {
    const what = `parse, schema and rules of a ${measuredPayloads[event].title}`;
    return atMost(what, LIMITS[event], ratioOf(WITH_PARSE, event, "sound"), text);
  });
}

function peerTargets(proven: Contestants, ratioOf: RatioOf): Target[] {
  const peers = [...proven].filter(
    ([name, result]) =>
      ![OURS, SHAPE].includes(name) && !(result instanceof Error) && result.misses.length === 0,
  );
  return MEASURED_EVENTS.map((event) => {
    const fastest = Math.min(...peers.map(([name]) => ratioOf(name, event, "sound")));
    const what = `shape alone of a ${measuredPayloads[event].title}`;
    const text = (value: number) => `${ratioText(value)} x the fastest peer`;
    return atMost(what, OVER_PEER, ratioOf(SHAPE, event, "sound") / fastest, text);
  });
}

function rejectTargets(ratioOf: RatioOf): Target[] {
  const text = (value: number) => `${ratioText(value)} x ajv`;
  return MEASURED_EVENTS.map((event) => {
    const what = `rejecting a ${measuredPayloads[event].title} with its findings`;
    const ratio = ratioOf(OURS, event, "broken") / ratioOf(AJV, event, "broken");
    return atMost(what, OVER_AJV, ratio, text);
  });
}
