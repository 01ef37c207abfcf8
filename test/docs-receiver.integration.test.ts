import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./document.ts";
import { withSources } from "./snippets.ts";
import { tempDir } from "./support/temp-dir.ts";

/** What the examples leave to the reader. */
const READER = `
import type { KnownEvent } from "txfeed/contract";
import type { Handlers, Inbox } from "txfeed/webhooks";

type TransactionEvent = KnownEvent<"transaction.created" | "transaction.updated">;
declare global {
  function load(id: string): Promise<TransactionEvent | null>;
  function save(id: string, event: TransactionEvent): Promise<void>;
  function fetchTransaction(id: string): Promise<TransactionEvent["body"]>;
  const on: Handlers<unknown>;
  const inbox: Inbox<unknown>;
}
`;

/** The packages of the brokers are not installed, so their types are not checked. */
const BROKERS = ["amqplib", "@nats-io/*", "@aws-sdk/*", "kafkajs"]
  .map((name) => `declare module "${name}";`)
  .join("\n");

const HANDLERS = `import type { Handlers } from "txfeed/webhooks";
export const handlers: Handlers<unknown> = {};
`;

const dir = tempDir();

test("each example in docs/receiver.md and docs/brokers.md compiles", async () => {
  const examples = ["receiver", "brokers"].flatMap((page) => {
    const text = readFileSync(join(ROOT, `docs/${page}.md`), "utf8");
    return [...text.matchAll(/^```ts(?: file=(\S+))?\n([\s\S]*?)```/gm)].map(
      ([, file, code = ""], index) => ({ file: file ?? `${page}-${index}.ts`, code }),
    );
  });
  expect(examples.length).toBeGreaterThan(7);
  const files = [
    ...examples,
    { file: "reader.ts", code: READER },
    { file: "brokers.d.ts", code: BROKERS },
    { file: "handlers.ts", code: HANDLERS },
  ];
  const compilerOptions = {
    ...{ noEmit: true, strict: true, skipLibCheck: true, allowImportingTsExtensions: true },
    ...{ target: "ES2024", lib: ["ES2024", "DOM", "DOM.Iterable", "ESNext.Array"] },
    // The callbacks of the brokers' packages have no types.
    ...{ module: "NodeNext", types: ["node"], noImplicitAny: false },
  };
  await symlink(join(ROOT, "node_modules"), join(dir, "node_modules"));
  await writeFile(join(dir, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  for (const { file, code } of files) await writeFile(join(dir, file), withSources(code));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", dir], { encoding: "utf8" });
  expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
});
