import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { withBuiltPackage } from "../built-package.ts";
import { millisecondsText, PRINT_PROCESS_MS, processTimes } from "../process-time.ts";
import { atMost, ratioText } from "../report.ts";
import type { Section } from "../section.ts";

const LIMIT_RATIO = 2.5;
const TXFEED = "txfeed/client, built";
const BY = "openapi-fetch";

/** CPU time of importing the client, relative to importing openapi-fetch. */
export const clientImport: Section = ({ isQuick }) =>
  withBuiltPackage(async (folder) => {
    const write = async (name: string, code: string) => {
      const file = join(folder, name);
      await writeFile(file, `${code}\n${PRINT_PROCESS_MS}`);
      return file;
    };
    const bare = await write("bare.mjs", "");
    const entry = pathToFileURL(join(folder, "dist/src/client/index.js"));
    const files = {
      [TXFEED]: await write("txfeed.mjs", `import "${entry}";`),
      [BY]: await write("openapi-fetch.mjs", `import "openapi-fetch";`),
    };
    const { bareMs, addedMs } = await processTimes(bare, files, isQuick ? 3 : 75);
    const [own = Number.NaN, by = Number.NaN] = [addedMs[TXFEED], addedMs[BY]];
    const rows = Object.entries(addedMs).map(([name, value]) => {
      return [name, millisecondsText(value), ratioText(value / by)];
    });
    const text = (ratio: number) => `${ratioText(ratio)} x ${BY}`;
    return {
      tables: [
        {
          title: "Importing the client, added to an empty process",
          columns: ["process time", `relative to ${BY}`],
          rows,
          notes: [`The empty process takes ${millisecondsText(bareMs)}.`],
        },
      ],
      targets: [atMost("import of the client", LIMIT_RATIO, own / by, text)],
    };
  });
