import { expect, onTestFinished, test, vi } from "vitest";
import type { LoggedEvent } from "../../../src/sandbox/control/control.ts";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { playALittle, startTestServer } from "../test-server.ts";

/** One Server-Sent Event. */
interface Sent {
  readonly id?: string;
  readonly event?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what is in it
  readonly data: any;
}

/** Opens a stream to read event by event. It is aborted with the test. */
async function listen(url: string, lastEventId?: string) {
  const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  const cut = new AbortController();
  const response = await fetch(`${url}/events/stream`, { headers, signal: cut.signal });
  onTestFinished(() => cut.abort());
  const sent = read(response);
  const next = async () => (await sent.next()).value as Sent;
  const until = async (event: string | undefined, wanted = (_data: Sent["data"]) => true) => {
    for (;;) {
      const one = await next();
      if (one.event === event && wanted(one.data)) return one;
    }
  };
  return { response, next, until, cut, sent };
}

async function* read({ body }: Response): AsyncGenerator<Sent> {
  let text = "";
  const decoded = (body as ReadableStream).pipeThrough(new TextDecoderStream());
  for await (const chunk of decoded as unknown as AsyncIterable<string>) {
    text += chunk;
    const parts = text.split("\n\n");
    text = parts.pop() ?? "";
    for (const part of parts) {
      const fields = part.split("\n").map((line) => line.split(/: (.*)/s));
      const { data = "", ...rest } = Object.fromEntries(fields);
      yield { ...rest, data: JSON.parse(data) };
    }
  }
}

test("it starts with the status and sends each new event with its log position", async () => {
  const { local, controlUrl } = await startTestServer();
  await playALittle(local);
  const stream = await listen(controlUrl);
  expect(stream.response.headers.get("content-type")).toBe("text/event-stream");
  expect(await stream.next()).toEqual({ event: "change", data: await local.status() });
  const { events } = await local.trigger("clear");
  const received: LoggedEvent[] = [];
  for (const { seq } of events) {
    const { id, event, data } = await stream.next();
    expect({ id, event }).toEqual({ id: String(seq), event: undefined });
    received.push(data);
  }
  expect(received).toEqual(events);
  expect(await stream.next()).toEqual({ event: "change", data: await local.status() });
});

test("it resumes after the last event id", async () => {
  const { local, controlUrl } = await startTestServer();
  await playALittle(local);
  const all = await local.events();
  const stream = await listen(controlUrl, "2");
  for (const event of all.slice(2)) expect((await stream.next()).data).toEqual(event);
  expect((await stream.next()).event).toBe("change");
});

test("an invalid id is refused; an id of a replaced log starts at the end", async () => {
  const { local, controlUrl, send } = await startTestServer();
  await playALittle(local);
  const refused = await send("GET", "/_sandbox/events/stream", {
    headers: { "last-event-id": "x" },
  });
  expect(refused).toMatchObject({ status: 400, json: { status: 400 } });
  const stream = await listen(controlUrl, "999");
  expect((await stream.next()).event).toBe("change");
  const { events } = await local.trigger("clear");
  expect((await stream.until(undefined)).data).toEqual(events[0]);
});

test("it sends clock changes, and combines simultaneous changes", async () => {
  const { local, controlUrl } = await startTestServer();
  const stream = await listen(controlUrl);
  await stream.next();
  for (let hour = 0; hour < 20; hour += 1) await local.advance("1h");
  const { data } = await stream.next();
  expect(data.clock.now).toBe("2026-01-06T05:00:00.000Z");
});

test("after a reset it sends only new events of the new log", async () => {
  const { local, controlUrl } = await startTestServer();
  await playALittle(local);
  const stream = await listen(controlUrl);
  await stream.next();
  await local.reset();
  await stream.until("change", ({ counts }) => counts.events === 0);
  await playALittle(local);
  const [first] = await local.events();
  expect((await stream.until(undefined)).data).toEqual(first);
});

test("many clients connect and disconnect, and no listener is left", async () => {
  const { engine, controlUrl } = await startTestServer();
  const listenTo = engine.onCommit.bind(engine);
  let listening = 0;
  vi.spyOn(engine, "onCommit").mockImplementation((listener) => {
    const stop = listenTo(listener);
    listening += 1;
    return () => {
      listening -= 1;
      stop();
    };
  });
  const streams = await Promise.all(Array.from({ length: 20 }, () => listen(controlUrl)));
  for (const stream of streams) await stream.next();
  expect(listening).toBe(20);
  for (const { cut } of streams) cut.abort();
  await vi.waitFor(() => expect(listening).toBe(0));
});

test("closing the sandbox ends its streams at once, also under load", async () => {
  const errors = vi.spyOn(console, "error");
  const sandbox = await createSandbox({ world: "empty" });
  await sandbox.trigger("open-subaccount");
  const streams = await Promise.all(
    Array.from({ length: 10 }, () => listen(sandbox.controlUrl, "0")),
  );
  for (let count = 0; count < 200; count += 1) await sandbox.trigger("enroll");
  await sandbox.close();
  for (const { sent } of streams) {
    const end = async () => {
      while (!(await sent.next()).done);
    };
    await end().catch(() => undefined);
  }
  expect(errors).not.toHaveBeenCalled();
  errors.mockRestore();
});
