import { reasonOf, type TxfeedError, UsageError } from "../../src/errors.ts";
import { suggestion } from "../../src/nearest.ts";
import { type Driver, type DriverContext, type Verb, verbs } from "../driver.ts";

/**
 * Loads the driver from an imported module. The default export is a driver, or a function that
 * takes the context and returns a driver or a promise of one.
 *
 * @returns Resolves to the driver. Rejects with a one-line TxfeedError `usage` if there is no
 * driver, a verb is not a function, or a member is not a verb.
 */
export async function loadDriver(module: object, context: DriverContext): Promise<Driver> {
  const given: unknown = "default" in module ? module.default : undefined;
  if (given === undefined) throw refusal("it has no default export");
  const baseUrl = context.baseUrl.replace(/(?<!\/)\/+$/, "");
  const driver = typeof given === "function" ? await makeBy(given, { ...context, baseUrl }) : given;
  if (typeof driver !== "object" || driver === null) {
    throw refusal("its default export is neither a driver nor a function that returns one");
  }
  for (const name of membersOf(driver)) {
    if (!verbs.includes(name as Verb)) {
      const advice = suggestion(name, verbs, `the verbs are ${verbs.join(", ")}`);
      throw refusal(`there is no verb "${name}"; ${advice}`);
    }
    const verb = (driver as Driver)[name as Verb];
    if (verb !== undefined && typeof verb !== "function") {
      throw refusal(`its verb ${name} is not a function`);
    }
  }
  return driver as Driver;
}

// biome-ignore lint/complexity/noBannedTypes: the module may export any function
async function makeBy(make: Function, context: DriverContext): Promise<unknown> {
  try {
    return await make(context);
  } catch (error) {
    throw refusal(`it can't be created: ${reasonOf(error).split("\n")[0]}`);
  }
}

/** A plain object's own members, or a class instance's verbs: it may have other members. */
function membersOf(driver: object): string[] {
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(driver));
  if (isPlain) return Object.keys(driver);
  return verbs.filter((verb) => verb in driver);
}

function refusal(reason: string): TxfeedError {
  return new UsageError(`the driver can't be used: ${reason}`);
}
