import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { reasonOf, UsageError } from "../../src/errors.ts";
import { loadDriver } from "../driven/load-driver.ts";
import type { Driver } from "../driver.ts";

/**
 * Loads the driver that `--driver` names: `sandbox` for the one that is shipped, a file, or a
 * package.
 *
 * @returns Resolves to the driver. Rejects with a TxfeedError `usage` where it can't be loaded, or
 * is none.
 */
export async function driverNamed(name: string, baseUrl: string): Promise<Driver> {
  try {
    return await loadDriver(await moduleNamed(name), { baseUrl });
  } catch (error) {
    const [why] = reasonOf(error).split("\n");
    throw new UsageError(`--driver ${name}: ${why}`, { cause: error });
  }
}

async function moduleNamed(name: string): Promise<object> {
  if (name === "sandbox") return import("../drivers/sandbox.ts");
  const address = addressOf(name);
  try {
    return await import(address);
  } catch (error) {
    throw new Error(`it can't be loaded: ${reasonOf(error)}`);
  }
}

/** A file before a package, so that `my-driver.js` is found where the program is called. */
function addressOf(name: string): string {
  const file = resolve(name);
  if (existsSync(file)) return pathToFileURL(file).href;
  try {
    const near = createRequire(join(process.cwd(), "package.json"));
    return pathToFileURL(near.resolve(name)).href;
  } catch {
    throw new Error("there is no such file or package");
  }
}
