import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { make } from "../../src/fixtures/index.ts";
import { createReceiver, type FeedReceiver } from "../../src/webhooks/index.ts";
import { openTelemetry } from "../../src/webhooks/opentelemetry.ts";
import { sqliteInbox } from "../../src/webhooks/sqlite/index.ts";
import { ROOT } from "../document.ts";
import { onFinished } from "../support/on-finished.ts";
import { type Recorder, recordTelemetry } from "../support/opentelemetry.ts";
import { deliver } from "../support/payloads.ts";
import { startNode } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

const NAME = "transaction.updated";
const LIMIT_MS = 10_000;

/** A worker whose handler never ends, or blocks the process. */
const WORKER = `
  import { writeSync } from "node:fs";
  import { createReceiver } from ${JSON.stringify(join(ROOT, "src/webhooks/index.ts"))};
  import { sqliteInbox } from ${JSON.stringify(join(ROOT, "src/webhooks/sqlite/index.ts"))};
  const [path, how] = process.argv.slice(1);
  const handle = () => {
    writeSync(1, "handling\\n");
    while (how === "blocks") {}
    return new Promise(() => {});
  };
  createReceiver({ on: { ${JSON.stringify(NAME)}: handle }, inbox: sqliteInbox({ path }) });`;

let recorder: Recorder;

beforeEach(() => {
  recorder = recordTelemetry();
});
afterEach(() => recorder.close());

/** A receiver in this process, with the default options. */
function observed(path: string, options: { handler?: () => unknown; work?: false }): FeedReceiver {
  const { meter, tracer } = recorder;
  const { handler, ...others } = options;
  const inbox = sqliteInbox({ path });
  const telemetry = openTelemetry({ meter, tracer });
  const on = handler ? { [NAME]: handler } : {};
  const receiver = createReceiver({ on, inbox, telemetry, ...others });
  onFinished(async () => {
    await receiver.close();
    inbox.close();
  });
  return receiver;
}

test.each(["stops", "blocks"])(
  "a worker that %s while it handles a delivery shows within 10 s",
  async (how) => {
    const path = join(tempDir(), "feed.db");
    const receiver = observed(path, { work: false });
    expect((await receiver(deliver(NAME, make(NAME)))).status).toBe(202);
    const args = ["--no-warnings", "--input-type=module", "-e", WORKER, path, how];
    const worker = startNode(args);
    await worker.until(/handling/);
    expect(await receiver.health()).toMatchObject({ problems: [], inbox: { running: 1 } });
    if (how === "stops") worker.child.kill("SIGSTOP");
    const stoppedAt = performance.now();

    const until = (check: () => Promise<void>) =>
      vi.waitFor(check, { timeout: LIMIT_MS - (performance.now() - stoppedAt), interval: 50 });
    await until(async () => {
      const problems = ["resources whose worker stalled or ended: 1"];
      expect(await receiver.health()).toMatchObject({ ok: true, problems });
    });
    expect(await recorder.values()).toMatchObject({ "txfeed.inbox.stalled": 1 });
  },
);

test("a live worker takes over from a stopped one and counts it within 10 s", async () => {
  const path = join(tempDir(), "feed.db");
  await observed(path, { work: false })(deliver(NAME, make(NAME)));
  const worker = startNode(["--no-warnings", "--input-type=module", "-e", WORKER, path]);
  await worker.until(/handling/);
  const handler = vi.fn();
  const { health } = observed(path, { handler });
  await vi.waitFor(async () => expect(await health()).toMatchObject({ inbox: { running: 1 } }));
  worker.child.kill("SIGSTOP");
  await vi.waitFor(
    async () => expect(await recorder.values()).toMatchObject({ "txfeed.worker.interruptions": 1 }),
    { timeout: LIMIT_MS, interval: 50 },
  );
  await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
  expect(handler.mock.calls[0]?.[1]).toMatchObject({ attempt: 2 });
});
