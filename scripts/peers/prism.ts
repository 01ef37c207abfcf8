import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";
import { runConformance } from "../../conformance/run.ts";
import { plain, type Tool } from "./tool.ts";

const CLI = createRequire(import.meta.url).resolve("@stoplight/prism-cli/dist/index.js");

/**
 * Prism as a validating proxy. It says something only of what passes through it: that is what our
 * own suite asks, as no other traffic is as thorough.
 */
export const prism: Tool = {
  name: "Prism (proxy)",
  setUp: "the document, and all that this suite asks as traffic",
  packages: [],
  async look({ baseUrl, document, credentials }, folder) {
    const file = `${folder}/openapi.json`;
    await writeFile(file, JSON.stringify(document));
    const { NODE_ENV: _production, ...env } = process.env;
    const child = spawn(process.execPath, [CLI, "proxy", file, baseUrl, "-p", "0"], {
      ...{ env: { ...env, NO_COLOR: "1" }, cwd: folder, stdio: ["ignore", "pipe", "ignore"] },
    });
    const violations: string[] = [];
    const ended = once(child, "exit");
    try {
      const url = await new Promise<string>((resolve, reject) => {
        createInterface(child.stdout as NonNullable<typeof child.stdout>).on("line", (raw) => {
          const line = stripVTControlCharacters(raw);
          const [, address] = /is listening on (http\S+)/.exec(line) ?? [];
          if (address) resolve(address);
          // What it holds against a request is the traffic's, on purpose.
          const [, violation] = /Violation: (response.*)/.exec(line) ?? [];
          if (violation) violations.push(plain(violation.replace(/\.\d+\./g, ".n.")));
        });
        ended.then(() => reject(new Error("Prism ended by itself")));
      });
      await runConformance({ baseUrl: url, credentials, profile: "full" });
    } finally {
      child.kill("SIGTERM");
      await ended;
    }
    return [...new Set(violations)];
  },
};
