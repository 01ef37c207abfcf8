import { expect, test } from "vitest";
import { ClaimAssertions, once } from "../../../conformance/assert.ts";
import { type Check, Skip } from "../../../conformance/check.ts";
import { Refused, Unmet } from "../../../conformance/skip.ts";
import type { ClaimId } from "../../../generated/requirements.ts";
import { breach, breaks, check, claimsOf, noData, passes, resultIn, runOf } from "./some-checks.ts";

/** The verdicts on claims, and those on requirements that follow from them. */

const [UNTIL, AFTER, OWN] = [
  "AUTH-09.accepted-until",
  "AUTH-09.refused-after",
  "AUTH-09.own-exp",
] as const;
const others = claimsOf("AUTH-09").filter((id) => id !== UNTIL && id !== AFTER);
const secondAccount = { requires: ["secondAccount"] } as const;
const asserted = new ClaimAssertions();
asserted.of(UNTIL).check(true, breach);

/** The verdicts and reasons of the first claims: accepted-until, refused-after, own-exp. */
test.each<[string, Check[], string, (string | undefined)[]]>([
  [
    "passes if each of its claims is decided",
    [check([UNTIL, AFTER], passes), check(others, passes)],
    "passed",
    ["passed", "passed", "passed"],
  ],
  [
    "passes partly if a claim has no check or no case",
    [check([UNTIL], passes), check([AFTER], new Skip("no clock"))],
    "partly",
    ["passed", "undecided: no clock", "undecided: no check decides it"],
  ],
  [
    "is skipped without a decided claim",
    [check([UNTIL], () => Promise.reject(noData))],
    "skipped",
    ["undecided: nothing there: data of the kind"],
  ],
  [
    "is decided by one of two checks",
    [check("AUTH-09", noData), check("AUTH-09", passes), check("AUTH-09", breaks, secondAccount)],
    "passed",
    ["passed", "passed", "passed"],
  ],
  [
    "is undecided if a verb was refused, whatever others decide",
    [
      check("AUTH-09", breaks, secondAccount),
      check("AUTH-09", passes),
      check("AUTH-09", new Refused("the target refused")),
    ],
    "skipped",
    ["undecided: the target refused"],
  ],
  [
    "is undecided if a verb did not have its effect",
    [check([UNTIL], passes), check([UNTIL], new Unmet("no match came"))],
    "skipped",
    ["undecided: no match came"],
  ],
  [
    "fails with the claim that a breach names",
    [check([UNTIL, AFTER], once([{ ...breach, claim: AFTER }])), check(others, noData)],
    "failed",
    ["passed", "failed", "undecided: nothing there: data of the kind"],
  ],
  [
    "is decided in the claims for which a check asserted something",
    [check([UNTIL, AFTER], asserted.result("nothing"))],
    "partly",
    ["passed", "undecided: no case of it occurred"],
  ],
  [
    "needs what its checks require",
    [check("AUTH-09", breaks, secondAccount)],
    "skipped",
    [
      "undecided: requires a second account: give --second-account ID:CLIENT_ID:CLIENT_SECRET, " +
        "or set TXFEED_SECOND_ACCOUNT",
    ],
  ],
])("a requirement %s", async (_, checks, verdict, expected) => {
  const report = await runOf(checks);
  const found = resultIn(report, "AUTH-09");
  const claims = found?.claims ?? [];
  expect(claims.slice(0, 3).map(({ id }) => id)).toEqual([UNTIL, AFTER, OWN]);
  const lines = claims.map((claim) =>
    [claim.verdict, claim.reason, claim.hint].filter((part) => part !== undefined).join(": "),
  );
  expect({ verdict: found?.verdict, lines: lines.slice(0, expected.length) }).toEqual({
    ...{ verdict, lines: expected },
  });
  const count = (wanted: string) => claims.filter((claim) => claim.verdict === wanted).length;
  const [decided, failed] = [claims.length - count("undecided"), count("failed")];
  expect(report.claims).toMatchObject({ decided, failed });
});

test("a breach of a derived claim is a warning, and a failure of a strict run", async () => {
  const one = check(["SUB-09.no-empty-update"], breaks);
  const of = async (checks: Check[], strict = false) => {
    const found = resultIn(await runOf(checks, { strict }), "SUB-09");
    const claim = found?.claims?.find(({ id }) => id === "SUB-09.no-empty-update");
    return [found?.verdict, found?.checks[0]?.findings?.[0]?.level, claim?.verdict];
  };
  expect(await of([one])).toEqual(["warned", "warning", "warned"]);
  expect((await of([one], true))[0]).toBe("failed");
  const both = await of([one, check(["SUB-09.one-created"], breaks)]);
  expect(both).toEqual(["failed", "warning", "warned"]);
});

test("the mock profile skips checks that need state", async () => {
  const state = check("CONV-06", breaks, { requires: ["state"] });
  expect(resultIn(await runOf([state], {}, { profile: "mock" }))?.verdict).toBe("skipped");
});

/** A claim with several situations, of which a check meets one. */
const SITUATED: readonly ClaimId[] = ["TXN-12.settles"];
const meets = check(SITUATED, { ...passes, situations: ["network-bulk"] });
const skips = check(SITUATED, new Skip("no feed", "add one"));
const lacks = check(SITUATED, passes, secondAccount);

test.each<[Check[], object]>([
  [[meets], { reason: "no case of it occurred" }],
  [[meets, skips], { reason: "no feed", hint: "add one" }],
  [
    [meets, skips, lacks],
    { reason: "requires a second account", hintOptions: "give secondAccount" },
  ],
  [[meets, check(SITUATED, new Refused("it was refused")), lacks], { reason: "it was refused" }],
])("an unmet situation has the most useful reason: %#", async (checks, why) => {
  const requirement = resultIn(await runOf(checks), "TXN-12");
  const { situations = [] } = requirement?.claims?.find(({ id }) => id === SITUATED[0]) ?? {};
  expect(situations.filter(({ met }) => met)).toEqual([{ name: "network-bulk", met: true }]);
  const unmet = situations.filter(({ met }) => !met);
  expect(unmet.length).toBeGreaterThan(0);
  for (const one of unmet) expect(one).toMatchObject(why);
});
