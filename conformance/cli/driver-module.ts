import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { reasonOf, UsageError } from "../../src/errors.ts";
import type { Driver, DriverContext } from "../driver.ts";
import { loadDriver } from "../run/load-driver.ts";

/**
 * Loads the driver that `--driver` names: a file, a package, or `sandbox` for the bundled one.
 *
 * @throws {TxfeedError} `usage` if it can't be loaded or is not a driver
 */
export async function driverNamed(name: string, context: DriverContext): Promise<Driver> {
  try {
    return await loadDriver(await moduleNamed(name), context);
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

/** A file takes precedence over a package: `my-driver.js` may be in the working directory. */
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
