import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../document.ts";
import { tempDir } from "../../support/temp-dir.ts";

const PROGRAM = `
  import { openDatabase } from ${JSON.stringify(join(ROOT, "src/webhooks/sqlite/database.ts"))};
  for (let n = 0; n < 40; n++) {
    openDatabase(process.argv[1] + n, {
      name: "one",
      schema: "CREATE TABLE IF NOT EXISTS one (id TEXT)",
      added: { later: "TEXT" },
    }).close();
  }`;

test("processes can create the same database concurrently", async () => {
  const directory = tempDir();
  const args = ["--no-warnings", "--input-type=module", "-e", PROGRAM, join(directory, "db-")];
  const processes = Array.from({ length: 4 }, () => spawn(process.execPath, args));
  const ends = await Promise.all(
    processes.map(async (child) => {
      let stderr = "";
      child.stderr.on("data", (chunk) => (stderr += chunk));
      const [status] = await once(child, "close");
      return { status, stderr };
    }),
  );
  expect(ends).toEqual(processes.map(() => ({ status: 0, stderr: "" })));
});
