import { expect, test } from "vitest";
import type { HttpHook } from "../../../mutation/mutation.ts";
import { problem } from "../../../mutation/requests.ts";
import { claimsOf, isToken } from "../../../mutation/tokens.ts";
import { attempt } from "./attempt.ts";

const GROUPS = ["AUTH", "ERR"];

/** This check is skipped if the token is correct. */

test("all checks pass in the small seed", async () => {
  const { failed, skipped, isReplayEqual } = await attempt({ only: GROUPS });
  expect({ failed, skipped, isReplayEqual }).toEqual({
    failed: [],
    // It needs more verbs of a driver.
    skipped: ["AUTH-12 the second account cannot read what was just created"],
    isReplayEqual: true,
  });
});

test.each(["empty", "large"] as const)(
  "the %s seed has no findings",
  async (world) => {
    const { failed } = await attempt({ only: GROUPS, world });
    expect(failed).toEqual([]);
  },
  120_000,
);

test("alternative statuses that the interface allows are accepted", async () => {
  const other: HttpHook = async (exchange, { sandbox }) => {
    const response = await exchange.forward();
    // Respond to a missing field as to a wrong one, and to an SDK token as to no token.
    if (isToken(exchange) && response.status === 400) return problem(401);
    if (response.status === 403) return { status: 401, headers: {}, body: "" };
    // Another account's resources may be answered 403.
    const account = claimsOf(exchange)?.claims.account;
    if (response.status === 404 && account === sandbox.accounts[1].accountId) {
      return problem(403);
    }
    return response;
  };
  expect((await attempt({ only: GROUPS, http: other })).failed).toEqual([]);
});

test("two credentials with the same secret are not swapped", async () => {
  const { failed, skipped } = await attempt({
    only: ["AUTH-05", "AUTH-06"],
    target: ({ accounts: [own] }) => ({
      sdkCredentials: { clientId: own.sdkClientId, clientSecret: own.clientSecret },
    }),
  });
  expect(failed).toEqual([]);
  expect(skipped).toContain("AUTH-06 another account's client_secret is rejected with 401");
});
