/**
 * `npm run conformance`: the conformance suite against Prism, which mocks the generated document.
 * Each check is one test, so `npm run conformance -- -t PAGE` runs the checks of one group.
 */
import { inject } from "vitest";
import { describeConformance } from "../vitest.ts";

describeConformance({
  baseUrl: inject("mockUrl"),
  // The mock accepts any credentials.
  credentials: { accountId: "an-account", clientId: "a-client", clientSecret: "a-secret" },
  profile: "mock",
});
