import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";
import { runConformance } from "../../../conformance/run/run.ts";
import { normalizeLine, type Tool } from "./tool.ts";

const CLI = createRequire(import.meta.url).resolve("@stoplight/prism-cli/dist/index.js");

/**
 * Prism as a validating proxy. It validates only traffic that passes through it. This project's
 * suite provides that traffic.
 */
export const prism: Tool = {
  name: "Prism (proxy)",
  configuration: "the document, with the requests of this suite as traffic",
  packages: {},
  async run({ baseUrl, document, credentials }, folder) {
    await folder.write("openapi.json", JSON.stringify(document));
    const { NODE_ENV: _production, ...env } = process.env;
    const child = spawn(process.execPath, [CLI, "proxy", "openapi.json", baseUrl, "-p", "0"], {
      ...{ env: { ...env, NO_COLOR: "1" }, cwd: folder.dir, stdio: ["ignore", "pipe", "ignore"] },
    });
    const violations: string[] = [];
    const exited = once(child, "exit");
    try {
      const url = await new Promise<string>((resolve, reject) => {
        createInterface(child.stdout as NonNullable<typeof child.stdout>).on("line", (raw) => {
          const line = stripVTControlCharacters(raw);
          const [, address] = /is listening on (http\S+)/.exec(line) ?? [];
          if (address) resolve(address);
          // The suite sends invalid requests on purpose, so only response violations count.
          const [, violation] = /Violation: (response.*)/.exec(line) ?? [];
          if (violation) violations.push(normalizeLine(violation.replace(/\.\d+\./g, ".n.")));
        });
        exited.then(() => reject(new Error("Prism exited")));
      });
      await runConformance({ baseUrl: url, credentials, profile: "full" });
    } finally {
      child.kill("SIGTERM");
      await exited;
    }
    return [...new Set(violations)];
  },
};
