import { beforeEach, describe, expect, test } from "vitest";
import type { Inbox } from "../../src/webhooks/index.ts";
import { call, fill, received, stores } from "./queue-calls.ts";

describe.each(stores)("txfeed queue on %s", (_name, open) => {
  let inbox: Inbox<never>;
  let ids: number[];

  beforeEach(async () => {
    inbox = open(() => 1000);
    ids = await fill(inbox);
  });

  /** The places of the deliveries in a state: 1 for the first one. */
  const placesIn = async (state: "waiting" | "quarantined") =>
    (await inbox.list({ state })).map(({ id }) => ids.indexOf(id) + 1);

  test("replay makes quarantined deliveries of a filter wait", async () => {
    const found = await call(inbox, "replay", "--lane", "transaction:1");
    const stdout = "✓ 1 delivery replayed, for the next worker that polls\n";
    expect(found).toEqual({ status: 0, stdout, stderr: "" });
    expect(await placesIn("quarantined")).toEqual([2]);
  });

  test("replay --all makes all quarantined deliveries wait, and keeps delays", async () => {
    expect(await call(inbox, "replay", "--all")).toMatchObject({ status: 0 });
    expect(await placesIn("waiting")).toEqual([1, 2, 3, 4, 5]);
    expect(await inbox.status()).toMatchObject({ delayed: 1 });
  });

  test.each(["ids", "--state waiting"])("replay by %s ends the delay of a lane", async (by) => {
    const args = by === "ids" ? [`${ids[2]}`] : by.split(" ");
    expect(await call(inbox, "replay", ...args)).toMatchObject({ status: 0 });
    expect(await inbox.status()).toMatchObject({ delayed: 0, quarantined: 2 });
  });

  test("drop deletes deliveries by ids and by filters", async () => {
    const found = await call(inbox, "drop", `${ids[0]}`, `${ids[3]}`);
    expect(found).toEqual({ status: 0, stdout: "✓ 2 deliveries dropped\n", stderr: "" });
    await call(inbox, "drop", "--state", "waiting", "--limit", "1");
    expect((await inbox.list()).map(({ id }) => id)).toEqual([ids[1], ids[4]]);
    await call(inbox, "drop", "--all");
    expect(await inbox.count()).toBe(0);
  });

  test("drop by ids and a filter deletes what both select", async () => {
    await call(inbox, "drop", `${ids[0]}`, `${ids[2]}`, "--state", "waiting");
    expect((await inbox.list()).map(({ id }) => ids.indexOf(id) + 1)).toEqual([1, 2, 4, 5]);
  });

  test.each(["replay", "drop"])(
    "%s --dry-run lists deliveries and changes nothing",
    async (verb) => {
      const before = [await inbox.list(), (await inbox.status()).delayed];
      const { status, stdout } = await call(inbox, verb, "--state", "quarantined", "--dry-run");
      expect(status).toBe(0);
      const found = [...stdout.matchAll(/^ +(\d+) /gm)].map(([, id]) => Number(id));
      expect(found).toEqual([ids[0], ids[1]]);
      expect(stdout).toMatch(`\n\n${verb} would change 2 deliveries; nothing was changed\n`);
      const args = [`${ids[2]}`, "9999", "--dry-run", "--format", "json"];
      const json = await call(inbox, verb, ...args);
      const summary = { verb, dryRun: true, count: 1, ids: [ids[2]], missing: [9999] };
      expect(json.stdout).toBe(`${JSON.stringify(summary)}\n`);
      expect([await inbox.list(), (await inbox.status()).delayed]).toEqual(before);
    },
  );

  test("--dry-run lists the first 50 deliveries and how many more there are", async () => {
    for (let more = 0; more < 60; more += 1) await inbox.add(received(10 + more));
    const { stdout } = await call(inbox, "drop", "--state", "waiting", "--dry-run");
    expect([...stdout.matchAll(/^ +\d+ /gm)]).toHaveLength(50);
    expect(stdout).toMatch(/\n {2}and 13 more\n\ndrop would change 63 deliveries; nothing was/);
  });

  test.each(["show", "replay", "drop"])("%s reports missing ids in one line", async (verb) => {
    const found = await call(inbox, verb, "9998", `${ids[0]}`, "9999");
    const stderr = "there are no deliveries 9998, 9999: handled, dropped, or never stored\n";
    expect(found).toMatchObject({ status: 1, stderr });
    expect(found.stdout).toMatch(/^(delivery|✓) /);
  });

  test("replay and drop --format json are one line", async () => {
    const replay = await call(inbox, "replay", "--all", "--format", "json");
    expect(JSON.parse(replay.stdout)).toEqual({
      verb: "replay",
      dryRun: false,
      count: 2,
      missing: [],
    });
    const drop = await call(inbox, "drop", `${ids[0]}`, "--format", "json");
    expect(JSON.parse(drop.stdout)).toMatchObject({ verb: "drop", dryRun: false, count: 1 });
    expect(`${replay.stdout}${drop.stdout}`.match(/\n/g)).toHaveLength(2);
  });
});
