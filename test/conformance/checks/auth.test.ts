import { expect, test } from "vitest";
import type { RequirementId } from "../../../generated/requirements.ts";
import type { HttpHook } from "../../../mutation/mutation.ts";
import { patternOf, refused } from "../../../mutation/rewrite.ts";
import { claimsOf, onToken, TOKEN } from "../../../mutation/tokens.ts";
import { attempt } from "./attempt.ts";

const GROUPS = ["AUTH", "ERR"];

/** A right answer to it has nothing to tell. */
const CLAIMS = "AUTH-09 a token's own claims give it no other life than 300 s";

test("nothing is found in a small world, and nothing is left unseen", async () => {
  const { failed, skipped, isSameAgain } = await attempt({ only: GROUPS });
  expect({ failed, skipped, isSameAgain }).toEqual({
    failed: [],
    skipped: [CLAIMS],
    isSameAgain: true,
  });
});

test.each(["empty", "large"] as const)(
  "nothing is found in the %s world",
  async (world) => {
    const { failed } = await attempt({ only: GROUPS, world });
    expect(failed).toEqual([]);
  },
  120_000,
);

test("refusals that the interface leaves open are all the same to it", async () => {
  const other: HttpHook = async (exchange, { sandbox }) => {
    const answer = await exchange.forward();
    const isToken = patternOf(TOKEN).test(exchange.path);
    // A field that is missing is a wrong one, and an SDK token no token at all.
    if (isToken && answer.status === 400) return refused(401, "invalid_client");
    if (answer.status === 403) return { status: 401, headers: {}, body: "" };
    // What is another's may be there, and forbidden.
    const account = claimsOf(exchange)?.claims.account;
    if (answer.status === 404 && account === sandbox.accounts[1].accountId) {
      return refused(403, "Forbidden");
    }
    return answer;
  };
  expect((await attempt({ only: GROUPS, http: other })).failed).toEqual([]);
});

test("credentials that are alike are not crossed", async () => {
  const { failed, skipped } = await attempt({
    only: ["AUTH-05", "AUTH-06"],
    target: ({ accounts: [own] }) => ({
      sdkCredentials: { clientId: own.sdkClientId, clientSecret: own.clientSecret },
    }),
  });
  expect(failed).toEqual([]);
  expect(skipped).toContain("AUTH-06 another account's secret is answered 401");
});

test("a target that has enough of wrong credentials is not held to 401", async () => {
  let refusals = 0;
  const limited: HttpHook = onToken(async ({ forward }) => {
    const answer = await forward();
    if (answer.status !== 401) return answer;
    refusals += 1;
    return refusals > 3 ? refused(429, "Too many requests") : answer;
  });
  const only: RequirementId[] = ["AUTH-04", "AUTH-05", "AUTH-06", "ERR-01"];
  expect((await attempt({ only, http: limited })).failed).toEqual([]);
});
