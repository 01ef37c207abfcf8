import { expect, test } from "vitest";
import { bodyChecks } from "../../../conformance/checks/shared/bodies.ts";
import { type Bodies, responses } from "../../../mutation/rewrite.ts";
import { claimIn, runBehind } from "../runs.ts";

const run = async ({ http }: Bodies) =>
  (await runBehind({ http }, { only: ["TXN", "MSG"], checks: bodyChecks })).report;

test("a claim that only invalid bodies could show names their finding", async () => {
  const report = await run(responses("transactions").set("/descriptor", 5));
  expect(claimIn(report, "TXN-01.fields")?.verdict).toBe("failed");
  expect(claimIn(report, "TXN-06.subset")).toMatchObject({
    verdict: "undecided",
    reason: expect.stringMatching(/^each body with it is invalid, such as by TXN-01: .*descriptor/),
  });
  // The shape alone decides it, whatever else is invalid.
  expect(claimIn(report, "MSG-01.projection-fields")?.verdict).toBe("passed");
});

test("one invalid item of a list hides no other", async () => {
  const report = await run(
    responses("transactions")
      .when((body) => body.network === "OPEN_BANKING")
      .set("/descriptor", 5),
  );
  expect(claimIn(report, "TXN-03.present")?.verdict).toBe("passed");
  expect(claimIn(report, "TXN-16.no-approval-code")?.verdict).toBe("undecided");
});
