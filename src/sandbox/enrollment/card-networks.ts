import type { Networks } from "../../contract/index.ts";
import { badRequest } from "../refusal.ts";
import type { UnitOfWork } from "../unit-of-work.ts";

/** The given code of a card network, or the usual one. Throws a Refusal 400 for another code. */
export function cardNetwork(
  { settings }: UnitOfWork,
  usual: keyof Networks,
  code?: string,
): string {
  const { a, b, c } = settings.networks;
  if (code === undefined) return settings.networks[usual];
  if ([a, b, c].includes(code)) return code;
  throw badRequest(`network takes ${a}, ${b} or ${c}, not '${code}'`);
}
