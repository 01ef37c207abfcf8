import { expect, test } from "vitest";
import { loadDriver } from "../../conformance/driver.ts";
import { DEFAULT_NETWORKS } from "../../src/contract/networks.ts";

const context = { baseUrl: "http://127.0.0.1:1", networks: DEFAULT_NETWORKS };
const settle = async () => {};

class Staging {
  readonly #calls: string[] = [];
  readonly region = "eu";

  async settle(): Promise<void> {
    this.#calls.push("settle");
  }
}

test("loads a driver, or calls a function with the target's address", async () => {
  const driver = new Staging();
  const received: unknown[] = [];
  const make = (given: unknown) => {
    received.push(given);
    return driver;
  };
  const some = { settle, advance: undefined };
  expect(await loadDriver({ default: some }, context)).toBe(some);
  for (const made of [driver, make, async () => driver]) {
    expect(await loadDriver({ default: made }, context)).toBe(driver);
  }
  await loadDriver({ default: make }, { ...context, baseUrl: "http://127.0.0.1:1/feed//" });
  expect(received).toEqual([context, { ...context, baseUrl: "http://127.0.0.1:1/feed" }]);
});

test.each([
  ["no default export", {}, "it has no default export"],
  ["a text", { default: "driver" }, "its default export is neither a driver nor a function that"],
  [
    "a function that returns nothing",
    { default: () => null },
    "its default export is neither a driver",
  ],
  [
    "a function that throws",
    { default: () => fail("no VPN\nat x") },
    "it can't be created: no VPN",
  ],
  [
    "a verb that is not a function",
    { default: { settle: 3 } },
    "its verb settle is not a function",
  ],
  [
    "a mistyped verb",
    { default: { postToBank: settle } },
    `there is no verb "postToBank"; did you mean "postAtBank"?`,
  ],
  [
    "an unknown verb",
    { default: { teleport: settle } },
    'there is no verb "teleport"; the verbs are',
  ],
])("refuses %s in one line", async (_, module, message) => {
  const refused = loadDriver(module, context);
  await expect(refused).rejects.toMatchObject({ code: "usage" });
  const { message: received } = await refused.catch((error) => error);
  expect(received).toContain(`the driver can't be used: ${message}`);
  expect(received).not.toContain("\n");
});

function fail(message: string): never {
  throw new Error(message);
}
