import { expect, test } from "vitest";
import { tryDriver } from "../conformance/drivers/trial.ts";
import { explore, runConformance, type Target } from "../conformance/index.ts";
import { describeConformance } from "../conformance/vitest.ts";
import { createGetAccessToken } from "../src/client/browser/index.ts";
import { createFeedClient } from "../src/client/index.ts";
import { createSdkTokenHandler } from "../src/client/sdk/index.ts";
import { toExpressHandler } from "../src/webhooks/adapters/express.ts";
import { toFastifyPlugin } from "../src/webhooks/adapters/fastify.ts";
import { toHonoHandler } from "../src/webhooks/adapters/hono.ts";
import { toNodeHandler } from "../src/webhooks/adapters/node.ts";
import { createReceiver, standardWebhooks } from "../src/webhooks/index.ts";

const baseUrl = "http://127.0.0.1:4";
const credentials = { accountId: "account", clientId: "client", clientSecret: "secret" };
const sdk = { sdkClientId: "client", sdkClientSecret: "secret", authorize: () => true };
const target: Target = { baseUrl, credentials, profile: "full" };
const receiver = createReceiver({ on: {} });

/** Every public function that takes durations, with their names. */
const takers: [string, (options: object) => unknown, string[]][] = [
  [
    "createFeedClient",
    (options) => createFeedClient({ baseUrl, ...credentials, ...options }),
    ["timeoutMs", "attemptTimeoutMs", "maxRetryAfterMs"],
  ],
  [
    "cards.get",
    (options) => createFeedClient({ baseUrl, ...credentials }).cards.get("id", options),
    ["timeoutMs", "attemptTimeoutMs"],
  ],
  [
    "createSdkTokenHandler",
    (options) => createSdkTokenHandler({ baseUrl, accountId: "account", ...sdk, ...options }),
    ["timeoutMs", "attemptTimeoutMs"],
  ],
  [
    "createGetAccessToken",
    (options) => createGetAccessToken({ url: baseUrl, ...options }),
    ["timeoutMs"],
  ],
  ["toNodeHandler", (options) => toNodeHandler(receiver, options), ["bodyTimeoutMs"]],
  ["toExpressHandler", (options) => toExpressHandler(receiver, options), ["bodyTimeoutMs"]],
  [
    "toFastifyPlugin",
    (options) => toFastifyPlugin(receiver, { url: "/", ...options }),
    ["bodyTimeoutMs"],
  ],
  ["toHonoHandler", (options) => toHonoHandler(receiver, options), ["bodyTimeoutMs"]],
  [
    "standardWebhooks",
    (options) => standardWebhooks({ secrets: "YQ==", ...options }),
    ["toleranceSeconds"],
  ],
  ["runConformance", (options) => runConformance(target, options), ["patienceMs", "limitMs"]],
  ["describeConformance", (options) => describeConformance(target, options), ["timeoutMs"]],
  ["tryDriver", (options) => tryDriver(target, options), ["patienceMs", "verbMs"]],
  ["explore", (options) => explore(target, options), ["patienceMs", "timeMs"]],
];

test.each(
  takers.flatMap(([what, take, names]) =>
    names.flatMap((name) =>
      [2 ** 31, Number.POSITIVE_INFINITY, Number.NaN].map((value) => ({ what, take, name, value })),
    ),
  ),
)("$what refuses a $name of $value", async ({ take, name, value }) => {
  const taken = async () => await take({ [name]: value });
  await expect(taken()).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining(name),
  });
});
