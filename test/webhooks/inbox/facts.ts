import { expect, test } from "vitest";
import { compare, type Step } from "./calls.ts";
import { drain, MINUTE, type OpenInbox } from "./store.ts";

/**
 * Facts about sequences of calls, and which deliveries are due at the end, in order; after a bar,
 * which are stored and not due. The result of each call is that of the model.
 *
 * `+a` and `+a/two` add the key `a` to the lane `one` or `two`; `-` is no key or no lane. `take2`
 * takes up to two lanes. The latest lease, or the one after `@`, is settled: its first deliveries,
 * as many as the number says, are handled, and the next one stays (`ok`), is retried (`retry`, at
 * once `again`, not as a failure `later`), broke off (`crash`) or goes to quarantine (`isolate`).
 * `once:a` succeeds, `once!a` fails; the work of `start:a` runs until `end` or `fail`. `replay` and
 * `drop` select all, the first one (`1`) or those in quarantine (`q`). Leases and delays have a
 * minute; `half` and `wait` wait half of it, or all.
 */
const FACTS: readonly (readonly [fact: string, calls: string, due: string])[] = [
  ["a lane is taken once, in order of receipt", "+b +a +c take take9", "| b a c"],
  ["a delivery of a leased lane waits for the end of the lease", "+a take +b take ok1", "b"],
  ["lanes are taken in parallel", "+a/one +b/two +c/one +d/- +-/- +-/- take9", "| a b c d - -"],
  ["lanes due the longest come first", "+a +b/two take retry0 wait wait +c/3 take2", "c | a b"],
  ["a long backlog does not delay other lanes", "+a +b +c/two take half ok1 take", "b | c"],
  ["an expired lease is due again, with one delivery", "+a +b take half take half take", "| a b"],
  ["interruptions are counted until one is handled", "+a +b take wait take wait take ok1", "b"],
  ["a failure resets the interruptions", "+a +b +c take wait take again0 take", "| a b c"],
  ["a quarantine resets the interruptions", "+a +b +c take wait take isolate0 take", "| a b c"],
  ["a delivery that broke off is an interruption", "+a +b take crash0 take crash0 take", "| a b"],
  ["a release keeps the interruptions", "+a +b take ok0 take wait take ok0 take", "| a b"],
  ["a released lane keeps its place", "+a wait take ok0 +b/two", "a b"],
  ["a renewed lease lasts from now", "+a take half renew half take half take half", "| a"],
  ["an expired lease can be renewed and settled", "+a take wait renew take wait ok +a", ""],
  [
    "a lost lease has no effect",
    "+a take wait take renew@0 ok@0 ok0@0 retry0@0 isolate0@0 renew@1 ok@1",
    "",
  ],
  ["a settled lease can't be settled again", "+a +b take ok1 ok@0 take ok0@0 take", "| b"],
  ["deliveries that a settlement does not list are due", "+a +b +c +d take ok2", "c d"],
  ["a failure delays its own lane", "+a +b +c/two take2 retry0@0 ok@1 +d +e/two", "e | a b d"],
  ["a delay ends on time", "+a +b take retry0 half take half", "a b"],
  ["a retry can follow handled deliveries", "+a +b +c take later1 take", "| b c"],
  ["only failures are counted", "+a take again0 take later0 wait take again0", "a"],
  ["the next ones see that one is missing", "+a +b +c +d take isolate0 take isolate1", "d | a c"],
  ["a dropped one is not missing", "+a +b +c take isolate0 take isolate0 drop1", "c | b"],
  ["a delivery dropped while it is handled stays dropped", "+a +b take drop1 retry0", "b"],
  ["a waiting, leased or delayed delivery is a duplicate", "+a +a take +a retry0 +a/two", "| a"],
  ["a handled delivery is a duplicate until keepMs passed", "+a take ok wait wait +a wait +a", "a"],
  ["deliveries without a key are no duplicates", "+- +- +-/- take2 ok +- ok@0 +-", "- -"],
  ["a duplicate replays a delivery", "+a take again0 take isolate0 +a/two +a", "a"],
  ["a replayed delivery comes first", "+a +b take isolate0 take retry0 take +a", "a b"],
  ["replay makes a delayed lane due", "+a +b take retry0 take replay1", "a b"],
  ["replay and drop keep a lease", "+a +b +c take replay drop1 take renew ok2", "c"],
  ["a replayed one comes next despite a retry", "+a +b take isolate0 take replayq retry0", "a b"],
  ["the lane of a dropped delivery goes on", "+a +b take retry0 drop1", "b"],
  ["dropping from quarantine keeps a delay", "+a +b take isolate0 take retry0 dropq", "| b"],
  ["drop forgets interruptions", "+a +b +c take wait take wait take drop1 wait take", "| b c"],
  ["replay forgets interruptions", "+a +b take wait take wait take replay1 wait take", "| a b"],
  [
    "a release after a replay leaves no interruption",
    "+a +b take wait take replay1 ok0 take ok",
    "",
  ],
  ["a break-off after a replay counts one", "+a +b take wait take replay1 crash0 take ok", "b"],
  ["once handles a key once", "once:a once:a once:a/- once:a/two +a", ""],
  ["once handles a delivery without a key each time", "once:- once:- once:-/- once:-/- +-", "-"],
  ["once remembers until keepMs passed", "once:a wait wait once:a wait once:a +a", ""],
  ["once handles a key again after keepMs", "once:a wait wait half once:b half once:a +a", ""],
  ["once records nothing if it fails", "once!a once!a once:a once:a", ""],
  ["a stored key is busy, and its lane", "+a once:a/two once:a/- once:b once:b/two", "a"],
  ["a leased lane is busy until its end", "+a take once:b ok once:a once:b once:b", ""],
  ["a delayed lane is busy", "+a take retry0 once:b half once:b half", "a"],
  ["of calls of once with the same key one runs", "start:a once:a/two once:a/- end once:a", ""],
  ["of calls of once with the same lane one runs", "start:a once:b once:c/two end once:b", ""],
  ["of calls of once without a key one runs in a lane", "start:- once:- once:-/- end once:-", ""],
  ["a delivery waits for a call of once in its lane", "start:a +b take end take", "| b"],
  ["a delivery waits for a call of once that fails", "start:a +b take fail take", "| b"],
  ["once has no effect if its key is stored meanwhile", "start:a +a/two end", "a"],
  ["once has no effect if its key is handled meanwhile", "start:a +a/two take ok end", ""],
  ["once ends a quarantine", "+a take isolate0 once!a once:a +a", ""],
];

/** Checks the facts, and compares the inbox with a model after each call. */
export function testFacts<Tx>(open: OpenInbox<Tx>, isSerial: boolean): void {
  const facts = FACTS.filter(([, calls]) => !isSerial || !calls.includes("start"));
  test.each(facts)("%s", async (_fact, calls, due) => {
    const { inbox } = await compare(open, calls.split(" ").map(parse), isSerial);
    const [now = "", later = ""] = due.split("|").map((part) => part.trim());
    const listed = (found: readonly (string | null)[]) => found.map((key) => key ?? "-").join(" ");
    expect(listed(await drain(inbox))).toBe(now);
    expect(listed((await inbox.list()).map(({ key }) => key))).toBe(later);
  });
}

function parse(call: string): Step {
  const [, verb = "", what = ""] = /^(\+|once.|start.|[a-z]+)(.*)$/.exec(call) ?? [];
  const [key = null, lane = "one"] = what.split("/").map((name) => (name === "-" ? null : name));
  const [count = "", lease] = what.split("@");
  const at = lease === undefined ? -1 : Number(lease);
  if (verb === "+") {
    return { do: "add", added: [{ key, lane, text: "", receivedAt: "2025-03-04T12:30:16.120Z" }] };
  }
  if (verb === "take") return { do: "take", limit: Number(what || 1) };
  if (verb === "half" || verb === "wait") {
    return { do: "wait", ms: verb === "half" ? MINUTE / 2 : MINUTE };
  }
  if (verb === "renew") return { do: "renew", index: at };
  if (verb === "start:") return { do: "start", head: { key, lane } };
  if (verb === "end" || verb === "fail") return { do: "end", succeeds: verb === "end" };
  if (verb.startsWith("once")) {
    return { do: "once", head: { key, lane }, outcome: verb === "once:" ? "ends" : "throws" };
  }
  if (verb === "drop" || verb === "replay" || verb === "dropq" || verb === "replayq") {
    const filter = verb.endsWith("q") ? { state: "quarantined" as const } : {};
    return {
      do: verb.startsWith("drop") ? "drop" : "replay",
      filter: { ...filter, limit: Number(what || 9) },
    };
  }
  const counted = { index: at, count: Number(count || 9), next: verb, reason: "no" };
  return { do: "settle", ...counted, isWithOther: false, parts: [], givesUp: false };
}
