import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Driver } from "../../conformance/driver.ts";
import { reasonOf, TxfeedError } from "../errors.ts";

/**
 * Loads the driver that `--driver` names: `sandbox` for the one that is shipped, a file, or a
 * package. Its default export is a driver, or a function that makes one.
 *
 * @returns Resolves to the driver. Rejects with a TxfeedError `usage` where it can't be loaded.
 */
export async function driverNamed(name: string, baseUrl: string): Promise<Driver> {
  let module: object;
  try {
    module = await import(addressOf(name));
  } catch (error) {
    if (error instanceof TxfeedError) throw error;
    const [why] = reasonOf(error).split("\n");
    throw refusal(name, `it can't be loaded: ${why}`, error);
  }
  const given: unknown = "default" in module ? module.default : undefined;
  const driver = typeof given === "function" ? await given({ baseUrl }) : given;
  if (typeof driver !== "object" || driver === null) {
    throw refusal(name, "its default export is no driver, and no function that makes one");
  }
  return driver;
}

/** A file in front of a package, so that `my-driver.js` is found where it is called. */
function addressOf(name: string): string {
  const file = resolve(name);
  if (existsSync(file)) return pathToFileURL(file).href;
  if (/^\.{0,2}[/\\]/.test(name)) throw refusal(name, "there is no such file");
  try {
    const near = createRequire(join(process.cwd(), "package.json"));
    return pathToFileURL(near.resolve(name)).href;
  } catch (error) {
    throw refusal(name, "there is no such file or package", error);
  }
}

function refusal(name: string, why: string, cause?: unknown): TxfeedError {
  return new TxfeedError("usage", `--driver ${name}: ${why}`, { cause });
}
