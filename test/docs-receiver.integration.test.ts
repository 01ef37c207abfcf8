import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./document.ts";
import { typecheckSnippets, writeSnippets } from "./snippets.ts";
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
  await writeSnippets(dir, files);
  // The callbacks of the brokers' packages have no types.
  const result = await typecheckSnippets(dir, files, { noImplicitAny: false });
  expect(result).toEqual({ stdout: "", status: 0 });
});
