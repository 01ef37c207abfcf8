import { leases } from "./leases.ts";
import { operation } from "./operation.ts";
import { receipt } from "./receipt.ts";
import { tables } from "./tables.ts";

/**
 * The first version of the schema. Released: do not change it, add a version.
 *
 * @param schema The quoted name of the schema, which exists.
 * @returns single statements, because some drivers accept no others.
 */
export function schema1(schema: string): readonly string[] {
  return [tables, receipt, leases, operation].flatMap((part) => part(schema));
}
