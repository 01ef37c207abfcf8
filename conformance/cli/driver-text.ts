import type { TextStyle } from "../../src/text.ts";
import { counted, printable, shortened, wrapped } from "../../src/text.ts";
import { checks } from "../checks/index.ts";
import type { Trial, TriedVerb } from "../drivers/trial.ts";
import { needFor } from "../drivers/verbs.ts";

const VERB_WIDTH = 18;
const TIME_WIDTH = 8;
const MAX_PROBLEM = 300;
const MAX_WIDTH = 100;

/** Renders a call of a verb: its time, its result's fields and the events, then its problems. */
export function renderTried(tried: TriedVerb, style: TextStyle): string {
  const { verb, note, ms, fields, events, problems, untried } = tried;
  const isBad = problems.length > 0;
  const mark = untried ? style.warn("-") : isBad ? style.bad("x") : style.good("+");
  const time = ms === undefined ? "" : ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
  const seen = [
    note && `(${note})`,
    untried && `not called: ${untried}`,
    fields.length > 0 && `{ ${fields.join(", ")} }`,
    events.length > 0 && style.dim(events.join(", ")),
  ].filter(Boolean);
  const line = `${mark} ${verb.padEnd(VERB_WIDTH)}${time.padStart(TIME_WIDTH)}  ${seen.join(" ")}`;
  const indent = " ".repeat(2 + VERB_WIDTH + TIME_WIDTH + 2);
  return [
    line.trimEnd(),
    ...problems.map((one) => `${indent}${style.bad(printable(shortened(one, MAX_PROBLEM)))}`),
  ].join("\n");
}

/** Renders what the missing verbs would decide, then the sum. */
export function renderEnd(trial: Trial, style: TextStyle): string {
  const { tried, missing, receives, brokenOff } = trial;
  const lines = missing.flatMap((verb) => {
    const { requirements, claims } = needFor(verb, checks);
    if (requirements.length === 0) return [];
    const amount = claims.length === 0 ? "" : `${counted(claims.length, "claim")} of `;
    const text = wrapped(`${amount}${requirements.join(", ")}`, MAX_WIDTH - 2 - VERB_WIDTH);
    return [`- ${verb.padEnd(VERB_WIDTH)}${text.join(`\n${" ".repeat(2 + VERB_WIDTH)}`)}`];
  });
  const failing = verbsOf(tried.filter(({ problems }) => problems.length > 0));
  const idle = verbsOf(tried.filter(({ untried }) => untried !== undefined));
  const working = verbsOf(tried).filter((verb) => !failing.includes(verb) && !idle.includes(verb));
  const sum = [
    style.good(`${counted(working.length, "verb")} work`.replace(/^1 verb work$/, "1 verb works")),
    ...(failing.length > 0 ? [style.bad(`${failing.length} failing: ${failing.join(", ")}`)] : []),
    ...(idle.length > 0 ? [`${idle.length} not called: ${idle.join(", ")}`] : []),
    ...(missing.length > 0 ? [`${missing.length} missing`] : []),
  ].join(", ");
  return [
    ...(lines.length > 0
      ? ["", "Missing verbs, and what they would help to decide:", ...lines]
      : []),
    "",
    ...(receives ? [] : [NOT_RECEIVING]),
    ...(brokenOff === undefined ? [] : [`The trial stopped early: ${printable(brokenOff)}`]),
    sum,
  ].join("\n");
}

const NOT_RECEIVING =
  "No events were checked: implement subscribe, or give --webhook-listen HOST:PORT.";

function verbsOf(tried: readonly TriedVerb[]): string[] {
  return [...new Set(tried.map(({ verb }) => verb))];
}
