import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../document.ts";
import { startNode } from "../../support/program.ts";
import { tempDir } from "../../support/temp-dir.ts";

const PROGRAM = `
  import { createTable, openDatabase } from ${JSON.stringify(join(ROOT, "src/webhooks/sqlite/database.ts"))};
  for (let n = 0; n < 40; n++) {
    openDatabase(process.argv[1] + n, (database) => createTable(database, {
      name: "one",
      schema: "CREATE TABLE IF NOT EXISTS one (id TEXT)",
      added: { later: "TEXT" },
    })).close();
  }`;

test("processes can create the same database concurrently", async () => {
  const directory = tempDir();
  const args = ["--no-warnings", "--input-type=module", "-e", PROGRAM, join(directory, "db-")];
  const ends = await Promise.all(Array.from({ length: 4 }, () => startNode(args).ended));
  expect(ends).toEqual(ends.map(() => ({ status: 0, stdout: "", stderr: "" })));
});
