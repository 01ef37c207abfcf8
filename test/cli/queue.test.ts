import { beforeEach, describe, expect, test } from "vitest";
import type { Inbox } from "../../src/webhooks/index.ts";
import { call, fill, received, stores } from "./queue-calls.ts";

describe.each(stores)("txfeed queue on %s", (_name, open) => {
  let inbox: Inbox<never>;
  let ids: number[];
  let now = 1000;

  beforeEach(async () => {
    inbox = open(() => now);
    ids = await fill(inbox);
  });

  test("status counts deliveries and lanes, and ends with what needs an operator", async () => {
    const { status, stdout, stderr } = await call(inbox, "status");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(/^ {2}waiting {9}3 {3}the first was received [\d,]+ days ago$/),
      "  quarantined     2   not handled until they are replayed",
      "  running lanes   0",
      "  delayed lanes   1   the first delivery failed and waits for its retry",
      "  stalled lanes   0",
      "",
      "✗ 2 deliveries are in quarantine; see txfeed queue list --state quarantined",
      "",
    ]);
  });

  test("status --check exits with 1 while something is in quarantine", async () => {
    expect(await call(inbox, "status", "--check")).toMatchObject({ status: 1 });
    await inbox.drop({ state: "quarantined" });
    const { status, stdout } = await call(inbox, "status", "--check");
    expect(status).toBe(0);
    expect(stdout).toMatch(/\n\n✓ nothing needs attention\n$/);
  });

  test("status --check exits with 1 if deliveries wait for a worker", async () => {
    await inbox.drop({});
    await inbox.add(received(6));
    now += 60_000;
    expect(await call(inbox, "status", "--check")).toMatchObject({ status: 0 });
    now += 61_000;
    const { status, stdout } = await call(inbox, "status", "--check");
    expect(status).toBe(1);
    expect(stdout).toMatch(/\n✗ deliveries have waited 2 min for a worker: start a receiver, or/);
    await inbox.take(1, 60_000);
    expect(await call(inbox, "status", "--check")).toMatchObject({ status: 0 });
  });

  test("status --check exits with 1 while a lane is stalled", async () => {
    await inbox.drop({});
    await inbox.add(received(6));
    await inbox.take(1, 1000);
    now += 1000;
    const { status, stdout } = await call(inbox, "status", "--check");
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /\n✗ 1 lane is stalled: a worker ended or hangs, and no other took over/,
    );
  });

  test("status --format json is one line", async () => {
    const { stdout } = await call(inbox, "status", "--format", "json");
    const counts = { waiting: 3, quarantined: 2, running: 0, delayed: 1, stalled: 0 };
    expect(stdout).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(stdout)).toEqual({ ...counts, oldestAgeMs: expect.any(Number), lagMs: 0 });
  });

  test("list prints an aligned table", async () => {
    const { status, stdout } = await call(inbox, "list");
    expect(status).toBe(0);
    const state = "bankaccount.state_changed";
    expect(stdout.split("\n").map((line) => line.trim().split(/ {2,}/))).toEqual([
      ["ID", "STATE", "RECEIVED", "EVENT", "LANE", "FAILURES", "REASON"],
      ...[1, 2].map((n) => row(n, "quarantined", "transaction.updated", `transaction:${n}`, 1)),
      row(3, "waiting", "transaction.updated", "transaction:3", 1, "the bank is closed"),
      row(4, "waiting", state, "-", 0),
      row(5, "waiting", "transaction.updated", "transaction:3", 0),
      [""],
      ["5 deliveries"],
      [""],
    ]);
    const columns = stdout
      .split("\n")
      .slice(0, 6)
      .map((line) => line.search(/(?<=\w {2,})2025|RECEIVED/));
    expect(new Set(columns).size).toBe(1);
  });

  /** The cells of a row. */
  function row(n: number, state: string, event: string, lane: string, fails: number, why?: string) {
    const reason = why ?? (state === "quarantined" ? "no money" : undefined);
    const cells = [`${ids[n - 1]}`, state, `2025-03-04T12:0${n}:00Z`, event, lane, `${fails}`];
    return reason === undefined ? cells : [...cells, reason];
  }

  test.each<[string[], number[]]>([
    [
      ["--state", "quarantined"],
      [1, 2],
    ],
    [
      ["--state", "waiting"],
      [3, 4, 5],
    ],
    [["--event", "bankaccount.state_changed"], [4]],
    [
      ["--lane", "transaction:3"],
      [3, 5],
    ],
    [
      ["--since", "2025-03-04T12:04"],
      [4, 5],
    ],
    [
      ["--since", "2025-03-04T14:04:00+02:00"],
      [4, 5],
    ],
    [
      ["--since", "2025-03-04"],
      [1, 2, 3, 4, 5],
    ],
    [["--before", "2025-03-04T12:02:00Z"], [1]],
    [
      ["--since", "57min"],
      [3, 4, 5],
    ],
    [["--before", "3480s", "--since", "1h"], [1]],
    [["--before", "1d"], []],
    [
      ["--limit", "2"],
      [1, 2],
    ],
    [["--state", "waiting", "--limit", "1"], [3]],
  ])("list %j selects deliveries", async (args, places) => {
    const { status, stdout } = await call(inbox, "list", ...args, "--format", "json");
    expect(status).toBe(0);
    const listed = stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(listed).toEqual(places.map((place) => expect.objectContaining({ id: ids[place - 1] })));
    const { stdout: table } = await call(inbox, "list", ...args);
    const found = [...table.matchAll(/^ +(\d+) /gm)].map(([, id]) => Number(id));
    expect(found).toEqual(places.map((place) => ids[place - 1]));
  });

  test("list --format json prints everything about a delivery in a line", async () => {
    const { stdout } = await call(inbox, "list", "--format", "json", "--limit", "1");
    const more = { id: ids[0], failures: 1, state: "quarantined", reason: "no money" };
    expect(stdout.match(/\n/g)).toHaveLength(1);
    expect(JSON.parse(stdout)).toEqual({ ...received(1), ...more });
  });

  test("list shows the first 50 deliveries and how many more there are", async () => {
    for (let more = 0; more < 60; more += 1) await inbox.add(received(10 + more));
    const { stdout } = await call(inbox, "list", "--since", "2025-03-04T12:02");
    expect(stdout.split("\n")).toHaveLength(1 + 50 + 3);
    expect(stdout).toMatch(/\n\nthe first 50 of 64 deliveries; --limit 64 lists all\n$/);
    const json = await call(inbox, "list", "--format", "json");
    expect(json.stdout.match(/\n/g)).toHaveLength(50);
    expect(json.stderr).toBe("the first 50 of 65 deliveries; --limit 65 lists all\n");
    const limited = await call(inbox, "list", "--format", "json", "--limit", "50");
    expect(limited.stderr).toBe("");
    const { stdout: all } = await call(inbox, "list", "--limit", "65");
    expect(all).toMatch(/\n\n65 deliveries\n$/);
    expect(all).toMatch(/\n {3}9 {2}waiting .*\n {2}10 {2}waiting /);
  });

  test("list reads more deliveries than one page", async () => {
    const deliveries = Array.from({ length: 1100 }, (_, n) => received(10, { key: `more ${n}` }));
    await Promise.all(deliveries.map((each) => inbox.add(each)));
    const { stdout } = await call(inbox, "list", "--limit", "1050", "--format", "json");
    const listed = stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line).id);
    expect(listed).toEqual((await inbox.list({ limit: 1050 })).map(({ id }) => id));
  });

  test("list says that nothing is selected, and suggests the name of an event", async () => {
    const { status, stdout } = await call(inbox, "list", "--event", "transaction.updatd");
    const advice = '--event transaction.updatd: did you mean "transaction.updated"?';
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `no delivery is selected; ${advice}\n`,
    });
    expect(await call(inbox, "list", "--lane", "x")).toMatchObject({
      stdout: "no delivery is selected\n",
    });
    await inbox.drop({});
    expect(await call(inbox, "list")).toMatchObject({ stdout: "the inbox has no deliveries\n" });
  });

  test("show prints everything about a delivery, safely for a terminal", async () => {
    const body = '{"amount":12.50,"big":12345678901234567890,"name":"a\u202eb"}';
    const headers = { "webhook-id": "msg_9", "user-agent": "\u001b[31mred" };
    await inbox.add(received(9, { body, headers, receivedAt: new Date().toISOString() }));
    const [added] = await inbox.list({ lane: "transaction:9" });
    const { status, stdout } = await call(inbox, "show", `${added?.id}`);
    expect(status).toBe(0);
    expect(stdout.split("\n")).toEqual([
      `delivery ${added?.id}  waiting`,
      "  event        transaction.updated",
      "  lane         transaction:9",
      expect.stringMatching(`^  received     ${added?.receivedAt} \\(\\d+ s ago\\)$`),
      "  delivery id  msg_9",
      "  key          key 9",
      "  failures     0",
      "  reason       none",
      "",
      "headers",
      "  webhook-id  msg_9",
      "  user-agent  \\u001b[31mred",
      "",
      "body",
      "  {",
      '    "amount": 12.50,',
      '    "big": 12345678901234567890,',
      '    "name": "a\\u202eb"',
      "  }",
      "",
    ]);
  });

  test("show prints a body that is not JSON as it is", async () => {
    await inbox.add(received(9, { body: "two\nlines" }));
    const [added] = await inbox.list({ lane: "transaction:9" });
    const { stdout } = await call(inbox, "show", `${added?.id}`);
    expect(stdout).toMatch(/\nbody\n {2}two\n {2}lines\n$/);
  });

  test("show --format json is a line for each delivery", async () => {
    const { stdout } = await call(inbox, "show", `${ids[0]}`, `${ids[4]}`, "--format", "json");
    const listed = await inbox.list({ ids: [ids[0] ?? 0, ids[4] ?? 0] });
    expect(stdout).toBe(listed.map((one) => `${JSON.stringify(one)}\n`).join(""));
  });
});
