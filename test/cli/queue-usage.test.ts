import { expect, test, vi } from "vitest";
import { parsed } from "./queue-calls.ts";

test.each<[string[], string]>([
  [[], "status|list|show|replay|drop is missing"],
  [["lst"], 'there is no verb "lst"; did you mean "list"?'],
  [["frobnicate"], "the verbs are status, list, show, replay, drop"],
  [["status", "7"], "status takes no ID; txfeed queue show 7 shows a delivery"],
  [["list", "7"], "list takes no ID"],
  [["show"], "ID is missing"],
  [["show", "x"], 'an ID is a number that list shows, not "x"'],
  [["show", "99999999999999999"], "an ID is a number that list shows"],
  [["replay"], "replay takes ids, filters or --all"],
  [["drop", "--limit", "5"], "drop takes ids, filters or --all"],
  [["drop", "--all", "--event", "x"], "--all selects everything; leave it or event out"],
  [["drop", "7", "--all"], "--all selects everything; leave it or ids out"],
  [["status", "--dry-run"], "--dry-run is for replay and drop, not for status"],
  [["show", "7", "--state", "waiting"], "--state is for list, replay and drop, not for show"],
  [["list", "--check"], "--check is for status, not for list"],
  [["list", "--sate", "x"], 'unknown option "--sate"; did you mean "--state"?'],
  [["list", "--state", "waitng"], 'not "waitng"; did you mean "waiting"?'],
  [["list", "--state", "handled"], '--state takes waiting or quarantined, not "handled"'],
  [["drop", "--event", ""], "--event is empty"],
  [["drop", "--lane", ""], "--lane is empty"],
  [["drop", "--before", ""], "--before takes a time such as 2025-03-04T12:30:16Z, or an age"],
  [["list", "--since", "1.5"], 'or an age such as 2h, not "1.5"'],
  [["list", "--since", "2025-13-04"], 'not "2025-13-04"'],
  [["list", "--since", "-2h"], "--since requires a value"],
  [["list", "--limit", "0"], '--limit takes a number from 1, not "0"'],
  [["list", "--limit", "many"], '--limit takes a number from 1, not "many"'],
  [["list", "--format", "xml"], '--format takes text or json, not "xml"'],
])("txfeed queue %j is bad usage", (args, message) => {
  const usage = { code: "usage", message: expect.stringContaining(message) };
  expect(() => parsed(...args)).toThrow(expect.objectContaining(usage));
});

test("a time without an offset is in UTC", () => {
  vi.stubEnv("TZ", "America/New_York");
  try {
    const { filter } = parsed("list", "--since", "2025-03-04T12:04", "--before", "2025-03-05");
    const before = "2025-03-05T00:00:00.000Z";
    expect(filter).toEqual({ since: "2025-03-04T12:04:00.000Z", before });
  } finally {
    vi.unstubAllEnvs();
  }
});
