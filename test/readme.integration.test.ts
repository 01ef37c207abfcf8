import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { make } from "../src/fixtures/index.ts";
import { ROOT } from "./document.ts";
import { typecheckSnippets, writeSnippets } from "./snippets.ts";
import { freePort } from "./support/local-server.ts";
import { startNode } from "./support/program.ts";
import { tempDir } from "./support/temp-dir.ts";

/** The code blocks of README by the heading above, with their expected output. */
const blocks = readFileSync(join(ROOT, "README.md"), "utf8")
  .split(/^## /m)
  .flatMap((section) => {
    const heading = section.slice(0, section.indexOf("\n"));
    const found = section.matchAll(/^```ts\n([\s\S]*?)```(?:\n\n```text\n([\s\S]*?)```)?/gm);
    return [...found].map(([, code = "", output]) => ({ heading, code, output }));
  })
  .map((block, index) => ({ ...block, file: `${index}.ts` }));

const dir = tempDir();

beforeAll(() => writeSnippets(dir, blocks));

/** The file of the first snippet below a heading. */
const fileOf = (heading: string) => blocks.find((block) => block.heading === heading)?.file ?? "";

test("README shows a call first, then every other main use", () => {
  const headings = blocks.map(({ heading }) => heading);
  expect(headings[0]).toBe("Call");
  expect(headings).toEqual(
    expect.arrayContaining([
      ...["Test without the service", "Enroll cards in the browser"],
      ...["Validate", "Receive", "Check a history", "Fixtures"],
    ]),
  );
});

test("each snippet compiles", async () => {
  expect(await typecheckSnippets(dir, blocks)).toEqual({ stdout: "", status: 0 });
});

test.each(blocks.filter(({ output }) => output !== undefined))(
  "$heading prints the output in README",
  ({ file, output }) => {
    const { stdout, stderr } = spawnSync(process.execPath, [file], {
      cwd: dir,
      encoding: "utf8",
    });
    expect({ stdout, stderr }).toEqual({ stdout: output, stderr: "" });
  },
);

test("the receiver handles a delivery and refuses an invalid one", async () => {
  const port = await freePort();
  const service = startNode([fileOf("Receive")], { cwd: dir, env: { PORT: String(port) } });
  const body = make("transaction.updated");
  expect(await deliver(port, body)).toBe(202);
  expect(await deliver(port, { ...body, id: 7 })).toBe(422);
  await service.until(new RegExp(body.id));
});

async function deliver(port: number, body: unknown): Promise<number> {
  for (;;) {
    try {
      const { status } = await fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "webhook-event-type": "transaction.updated",
        },
        body: JSON.stringify(body),
      });
      return status;
    } catch (error) {
      if (!String((error as Error).cause).includes("ECONNREFUSED")) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
