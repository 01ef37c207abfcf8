import { expect, test } from "vitest";
import { toExpressHandler } from "../../src/webhooks/adapters/express.ts";
import { toFastifyPlugin } from "../../src/webhooks/adapters/fastify.ts";
import { toHonoHandler } from "../../src/webhooks/adapters/hono.ts";
import { toNodeHandler } from "../../src/webhooks/adapters/node.ts";
import {
  createReceiver,
  hmacSha256,
  memoryInbox,
  sharedSecret,
  standardWebhooks,
} from "../../src/webhooks/index.ts";

type Call = (options: never) => unknown;

const receiver = createReceiver({ on: {} });
const HEADER = { header: "x-signature", secret: "a" };

const refused: [Call, object | undefined, string][] = [
  [
    createReceiver,
    { on: {}, oninvalid: () => {} },
    'createReceiver: unknown option "oninvalid"; did you mean "onInvalid"?',
  ],
  [
    createReceiver,
    { on: {}, verifier: () => true },
    'createReceiver: unknown option "verifier"; did you mean "verify"?',
  ],
  [createReceiver, undefined, "createReceiver: options must be an object; got undefined"],
  [
    createReceiver,
    {},
    'createReceiver: on must be an object; got undefined: give a handler for each event, such as { "transaction.updated": handle }',
  ],
  [createReceiver, { on: () => {} }, "createReceiver: on must be an object; got () => {}"],
  [createReceiver, { on: null }, "createReceiver: on must be an object; got null"],
  [createReceiver, { on: {}, verify: null }, "createReceiver: verify must be a function; got null"],
  [createReceiver, { on: {}, verify: "a" }, "createReceiver: verify must be a function; got a"],
  [
    createReceiver,
    { on: {}, networks: { A: "x" } },
    'createReceiver: networks: unknown option "A"; did you mean "a"?',
  ],
  [
    createReceiver,
    { on: {}, inbox: "feed.db" },
    "createReceiver: inbox must be an inbox, such as sqliteInbox({ path }); got feed.db",
  ],
  [createReceiver, { on: {}, inbox: null }, "sqliteInbox({ path }); got null"],
  [createReceiver, { on: {}, inbox: memoryInbox }, "sqliteInbox({ path }); got function memory"],
  [createReceiver, { on: {}, acknowledge: "later" }, 'must be "stored" or "handled"; got later'],
  [createReceiver, { on: {}, acknowledge: "stored" }, 'acknowledge: "stored" needs an inbox'],
  [createReceiver, { on: {}, work: false }, "work can only be false if deliveries are stored"],
  [
    createReceiver,
    { on: {}, work: { orderBy: "account" } },
    'work.orderBy must be "resource", "none" or a function; got account',
  ],
  [createReceiver, { on: {}, keepHeaders: "a" }, "keepHeaders must be a list of names; got a"],
  [
    createReceiver,
    { on: {}, work: { retryDelayMs: [1] } },
    'createReceiver: work: unknown option "retryDelayMs"; did you mean "retryDelaysMs"?',
  ],
  [
    standardWebhooks,
    { secret: "YQ==" },
    'standardWebhooks: unknown option "secret"; did you mean "secrets"?',
  ],
  [
    hmacSha256,
    { ...HEADER, encoding: "hex", prefx: "sha256=" },
    'hmacSha256: unknown option "prefx"; did you mean "prefix"?',
  ],
  [
    sharedSecret,
    { header: "a", secrets: "b" },
    'sharedSecret: unknown option "secrets"; did you mean "secret"?',
  ],
  [memoryInbox, { max: 1 }, 'memoryInbox: unknown option "max"; known options: '],
  [
    (options: object) => toNodeHandler(receiver, options),
    { onerror: () => {} },
    'toNodeHandler: unknown option "onerror"; did you mean "onError"?',
  ],
  [
    (options: object) => toExpressHandler(receiver, options),
    { timeoutMs: 1 },
    'toExpressHandler: unknown option "timeoutMs"; known options: bodyTimeoutMs',
  ],
  [
    (options: object) => toFastifyPlugin(receiver, options as { url: string }),
    { uri: "/" },
    'toFastifyPlugin: unknown option "uri"; did you mean "url"?',
  ],
  [
    (options: object) => toHonoHandler(receiver, options),
    { bodytimeoutMs: 1 },
    'toHonoHandler: unknown option "bodytimeoutMs"; did you mean "bodyTimeoutMs"?',
  ],
  [
    (options: object) => toHonoHandler(receiver, options),
    { bodyTimeoutMs: Number.NaN },
    "toHonoHandler: bodyTimeoutMs must be an integer of at least 1; got NaN",
  ],
  [
    (options: object) => toNodeHandler(receiver, options),
    { bodyTimeoutMs: 0 },
    "toNodeHandler: bodyTimeoutMs must be an integer of at least 1; got 0",
  ],
];
test.each(refused)("%o refuses %o", (call, options, message) => {
  expect(() => call(options as never)).toThrow(
    expect.objectContaining({ code: "usage", message: expect.stringContaining(message) }),
  );
});

test("close refuses an unknown option and an invalid time", async () => {
  const close = receiver.close as (options: object) => Promise<void>;
  await expect(close({ graceMS: 1 })).rejects.toThrow('did you mean "graceMs"?');
  await expect(close({ graceMs: Number.NaN })).rejects.toThrow(
    "close: graceMs must be an integer of at least 0; got NaN",
  );
});

test("undefined is a valid value of every option but `on`", () => {
  const options = {
    ...{ fallback: undefined, verify: undefined, limitBytes: undefined, inbox: undefined },
    ...{
      acknowledge: undefined,
      keepHeaders: undefined,
      work: undefined,
      now: undefined,
      networks: undefined,
    },
    ...{ onFinding: undefined, onInvalid: undefined, onDelivery: undefined },
  } as object;
  expect(() => createReceiver({ on: {}, ...options })).not.toThrow();
});
