import type { RequirementId } from "../../generated/requirements.ts";
import type { Target } from "../run/capabilities.ts";
import type { Script, Step } from "./step.ts";

/** Writes a Vitest test that plays a script. Credentials come from the environment. */
export function testOf(
  { baseUrl }: Target,
  { opening, steps }: Script,
  requirement: RequirementId,
): string {
  const lines = (all: readonly Step[]) =>
    all.map((step) => `    ${JSON.stringify(step)},`).join("\n");
  const list = (name: string, all: readonly Step[]) =>
    all.length === 0 ? `  ${name}: [],` : `  ${name}: [\n${lines(all)}\n  ],`;
  const title = JSON.stringify(`${requirement} holds after ${steps.at(-1)?.verb ?? "the opening"}`);
  return `import { replayScript, type Script } from "txfeed/conformance";
import { expect, test } from "vitest";
import makeDriver from "./driver.js"; // yours; for the sandbox: "txfeed/conformance/sandbox-driver"

const baseUrl = ${JSON.stringify(baseUrl)};
const { TXFEED_ACCOUNT_ID = "", TXFEED_CLIENT_ID = "", TXFEED_CLIENT_SECRET = "" } = process.env;
const script: Script = {
${list("opening", opening)}
${list("steps", steps)}
};

test(${title}, async () => {
  const findings = await replayScript(
    {
      baseUrl,
      profile: "full",
      driver: await makeDriver({ baseUrl }),
      credentials: {
        accountId: TXFEED_ACCOUNT_ID,
        clientId: TXFEED_CLIENT_ID,
        clientSecret: TXFEED_CLIENT_SECRET,
      },
    },
    script,
  );
  expect(findings).toEqual([]);
}, 60_000);
`;
}
