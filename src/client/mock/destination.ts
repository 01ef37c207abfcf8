import { type OperationKey, operations } from "../../../generated/operations.ts";

/** The operation that a request matches. */
interface Destination {
  readonly operation: OperationKey;
  /** The path below the base address. */
  readonly path: string;
  /** The path parameters by name. */
  readonly params: Readonly<Record<string, string>>;
}

/** Longest first, because a transport does not know the path of the base address. */
const TEMPLATES = Object.entries(operations)
  .map(([operation, { method, path }]) => {
    const segments = path.split("/").slice(1);
    return { operation: operation as OperationKey, method, segments };
  })
  .sort((one, other) => other.segments.length - one.segments.length);

/** Finds the operation of a request; undefined if the contract has none. */
export function destinationOf(method: string, pathname: string): Destination | undefined {
  const segments = pathname.split("/").slice(1);
  for (const template of TEMPLATES) {
    if (template.method !== method || template.segments.length > segments.length) continue;
    const own = segments.slice(-template.segments.length);
    const params = paramsOf(template.segments, own);
    if (params) return { operation: template.operation, path: `/${own.join("/")}`, params };
  }
  return undefined;
}

function paramsOf(
  template: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const [, name] = /^\{(\w+)\}$/.exec(template[index] ?? "") ?? [];
    if (name === undefined && segment !== template[index]) return undefined;
    if (name !== undefined && segment === "") return undefined;
    if (name !== undefined) params[name] = decoded(segment);
  }
  return params;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
