import { reasonOf, UsageError } from "../../../src/errors.ts";

/** A report as read from a file: only what a comparison needs. */
export interface ReadReport {
  readonly target: string;
  readonly profile: string;
  /** Null in a report without it. */
  readonly startedAt: string | null;
  readonly durationMs: number | null;
  /** Why the run stopped early; null if it did not. */
  readonly brokenOff: string | null;
  readonly requirements: ReadonlyMap<string, ReadResult>;
  /** Null in a report of a version without claims. */
  readonly claims: ReadonlyMap<string, ReadClaim> | null;
  readonly causes: readonly ReadCause[];
}

/** The result of a requirement or a claim. */
export interface ReadResult {
  readonly id: string;
  readonly verdict: string;
  readonly reason?: string;
  readonly hint?: string;
}

export interface ReadClaim extends ReadResult {
  readonly requirement: string;
  readonly situations: readonly ReadSituation[];
}

/** A situation of a claim, and why it was not met. */
interface ReadSituation {
  readonly name: string;
  /** Whether the claim was checked in the situation. */
  readonly met: boolean;
  readonly reason?: string;
  readonly hint?: string;
}

export interface ReadCause {
  /** The requirements that it breaks, the likely one first. */
  readonly requirements: readonly string[];
  readonly places: readonly string[];
  readonly message: string;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a report that `conformance --report-json` wrote, of this version or an earlier one.
 *
 * @param name The file's name, for the error.
 * @throws {TxfeedError} `usage` if the text is not a report
 */
export function readReport(text: string, name: string): ReadReport {
  const json = parsed(text, name);
  const { target, profile, requirements } = json;
  if (typeof target !== "string" || typeof profile !== "string" || !Array.isArray(requirements)) {
    throw notReport(name, "it has no target, profile and requirements");
  }
  const results = requirements.map((one: unknown, at): [ReadResult, Json] => {
    const result = resultIn(one);
    if (!result) throw notReport(name, `requirements[${at}] has no id and verdict`);
    return [result, one as Json];
  });
  if (results.length === 0) throw notReport(name, "it lists no requirement");
  const claims = results.flatMap(([{ id }, one]) => claimsIn(one, id));
  return {
    ...{ target, profile },
    startedAt: textIn(json, "startedAt") ?? null,
    durationMs: typeof json["durationMs"] === "number" ? json["durationMs"] : null,
    brokenOff: textIn(json, "brokenOff") ?? null,
    requirements: new Map(results.map(([result]) => [result.id, result])),
    claims: isObject(json["claims"]) ? new Map(claims.map((one) => [one.id, one])) : null,
    causes: listIn(json, "causes").map((one) => ({
      requirements: textsIn(one, "requirements"),
      places: textsIn(one, "places"),
      message: textIn(one, "message") ?? "",
    })),
  };
}

function parsed(text: string, name: string): Json {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw notReport(name, `it is not JSON (${reasonOf(error)})`);
  }
  if (!isObject(json)) throw notReport(name, "it is not a JSON object");
  return json;
}

function notReport(name: string, why: string): Error {
  return new UsageError(
    `${name} is not a report: ${why}; give a file of txfeed conformance --report-json`,
  );
}

function claimsIn(requirement: Json, id: string): ReadClaim[] {
  return listIn(requirement, "claims").flatMap((one) => {
    const result = resultIn(one);
    if (!result) return [];
    const situations = listIn(one, "situations").flatMap((each): ReadSituation[] => {
      const name = textIn(each, "name");
      return name === undefined ? [] : [{ name, met: each["met"] === true, ...whyIn(each) }];
    });
    return { ...result, requirement: id, situations };
  });
}

function resultIn(value: unknown): ReadResult | undefined {
  if (!isObject(value)) return undefined;
  const [id, verdict] = [textIn(value, "id"), textIn(value, "verdict")];
  if (id === undefined || verdict === undefined) return undefined;
  return { id, verdict, ...whyIn(value) };
}

/** The reason of an undecided result, and how to decide it. */
function whyIn(value: Json): Pick<ReadResult, "reason" | "hint"> {
  const [reason, hint] = [textIn(value, "reason"), textIn(value, "hint")];
  return { ...(reason !== undefined && { reason }), ...(hint !== undefined && { hint }) };
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textIn(value: Json, name: string): string | undefined {
  const member = value[name];
  return typeof member === "string" ? member : undefined;
}

/** The objects of a list; none if it is missing. */
function listIn(value: Json, name: string): Json[] {
  const member = value[name];
  return Array.isArray(member) ? member.filter(isObject) : [];
}

function textsIn(value: Json, name: string): string[] {
  const member = value[name];
  return Array.isArray(member) ? member.filter((one) => typeof one === "string") : [];
}
