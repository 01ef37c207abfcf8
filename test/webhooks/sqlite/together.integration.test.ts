import { join } from "node:path";
import { expect, test } from "vitest";
import { sqliteInbox } from "../../../src/webhooks/sqlite/index.ts";
import { ROOT } from "../../document.ts";
import { bankTransaction } from "../../support/payloads.ts";
import { startNode } from "../../support/program.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { writeOlderFile } from "./older-file.ts";

const FILES = 30;
const PROGRAM = `
  import { sqliteInbox } from ${JSON.stringify(join(ROOT, "src/webhooks/sqlite/index.ts"))};
  for (let n = 0; n < ${FILES}; n++) sqliteInbox({ path: process.argv[1] + n }).close();`;

test.each([false, true])(
  "processes can open the same file concurrently, of an older version: %s",
  async (isOlder) => {
    const prefix = join(tempDir(), "db-");
    const rows = Array.from({ length: 50 }, (_, n) => ({
      key: `${n}`,
      event: "banktransaction.created",
      body: JSON.stringify(bankTransaction(n)),
      received_at: "2025-03-04T12:30:16.120Z",
    }));
    const files = Array.from({ length: FILES }, (_, n) => `${prefix}${n}`);
    if (isOlder) for (const file of files) writeOlderFile(file, "0.1.0", rows);
    const args = ["--no-warnings", "--input-type=module", "-e", PROGRAM, prefix];
    const ends = await Promise.all(Array.from({ length: 4 }, () => startNode(args).ended));
    expect(ends).toEqual(ends.map(() => ({ status: 0, stdout: "", stderr: "" })));
    for (const path of isOlder ? files : []) {
      const inbox = sqliteInbox({ path });
      expect((await inbox.list()).map(({ key }) => key)).toEqual(rows.map(({ key }) => key));
      inbox.close();
    }
  },
);
