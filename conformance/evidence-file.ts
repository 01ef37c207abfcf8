import { memberOf, valueAt } from "../src/contract/pointer.ts";
import { type TxfeedError, UsageError } from "../src/errors.ts";
import type { Evidence } from "./transport/evidence.ts";

/** The version of evidence that this suite writes and reads. */
const VERSION = 1;

/** An entry as a line of NDJSON, with its line feed. A body stands in it once, as it came. */
export function evidenceLine(entry: Evidence): string {
  if (entry.kind !== "exchange" || !entry.response) return `${JSON.stringify(entry)}\n`;
  const { json, ...response } = entry.response;
  return `${JSON.stringify({ ...entry, response })}\n`;
}

/**
 * Puts evidence together from its lines, one by one. A run that was killed may have left its last
 * line half written: that one is passed over.
 */
export class EvidenceReader {
  readonly #entries: Evidence[] = [];
  /** What is wrong with the line before, which is fine if it was the last. */
  #torn: TxfeedError | undefined;

  /**
   * Takes a line. Throws a TxfeedError `usage` that names the line where it is no evidence, or that
   * of a newer version.
   */
  add(text: string, line: number): void {
    if (this.#torn) throw this.#torn;
    const place = `line ${line}`;
    let entry: unknown;
    try {
      entry = JSON.parse(text);
    } catch {
      const error = refusal(`${place} is not JSON`);
      if (this.#entries.length === 0) throw error;
      this.#torn = error;
      return;
    }
    const kind = memberOf(entry, "kind");
    if (this.#entries.length === 0) refuseOther(entry, place);
    else if (kind === "run") throw refusal(`${place} begins another run: a file holds one`);
    if (typeof kind !== "string" || !Object.hasOwn(MEMBERS, kind)) {
      throw refusal(`${place} is no evidence of a conformance run`);
    }
    const hasAnswer = kind === "exchange" && memberOf(entry, "response") !== undefined;
    const members = { ...MEMBERS[kind as Evidence["kind"]], ...(hasAnswer && OF_AN_ANSWER) };
    for (const [path, type] of Object.entries(members)) {
      if (!isOfType(valueAt(entry, path.split(".")), type)) {
        throw refusal(`${place}: ${path} of the ${kind} is not ${A[type.replace("?", "")]}`);
      }
    }
    this.#entries.push(entry as Evidence);
  }

  /** All that was read. Throws a TxfeedError `usage` where that is nothing. */
  end(): readonly Evidence[] {
    if (this.#entries.length === 0) throw refusal("there is no evidence in it");
    return this.#entries;
  }
}

/** Evidence begins with what the run was, and with a version that is known. */
function refuseOther(entry: unknown, place: string): void {
  const version = memberOf(entry, "version");
  if (memberOf(entry, "kind") !== "run" || typeof version !== "number") {
    throw refusal(`${place} is not the beginning of evidence: what conformance --evidence writes`);
  }
  if (version !== VERSION) {
    const which = version > VERSION ? "a newer txfeed reads it" : "no txfeed has written that";
    throw refusal(
      `its evidence has version ${version}, and this txfeed reads ${VERSION}: ${which}`,
    );
  }
}

/** What an entry has to have, so that checks can look at it again. */
const MEMBERS: Readonly<Record<Evidence["kind"], Readonly<Record<string, string>>>> = {
  run: {
    ...{ target: "url", startedAt: "string", means: "object", only: "array?" },
    ...{ "means.profile": "string", "means.networks": "object", "means.verbs": "array" },
  },
  exchange: {
    ...{ scope: "string", nr: "number", durationMs: "number", response: "object?" },
    ...{ "request.method": "string", "request.url": "url", "request.headers": "object" },
    ...{ "request.body": "string?" },
  },
  unsent: {
    ...{ scope: "string", nr: "number", reason: "string" },
    ...{ "request.method": "string", "request.url": "url", "request.headers": "object" },
    ...{ "request.body": "string?" },
  },
  delivery: {
    ...{ nr: "number", name: "string", receivedAt: "string", answeredAt: "string" },
    ...{ "request.headers": "object", "request.body": "string" },
  },
  mark: { scope: "string", deliveries: "number" },
  verb: { scope: "string", verb: "string" },
  end: { durationMs: "number" },
};

const OF_AN_ANSWER: Readonly<Record<string, string>> = {
  ...{ "response.status": "number", "response.headers": "object", "response.body": "string" },
};

const A: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  object: "an object",
  array: "an array",
  url: "an address",
};

function isOfType(value: unknown, type: string): boolean {
  if (type.endsWith("?")) return value === undefined || isOfType(value, type.slice(0, -1));
  if (type === "array") return Array.isArray(value);
  if (type === "url") return typeof value === "string" && URL.canParse(value);
  return typeof value === type && value !== null && !Array.isArray(value);
}

function refusal(what: string): TxfeedError {
  return new UsageError(what);
}
