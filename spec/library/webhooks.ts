import { WEBHOOK_EXTENSION } from "./decorators.ts";
import type { Operation, PathItem } from "./document.ts";

/**
 * Parts what `@typespec/openapi3` wrote as paths into real paths and webhooks.
 *
 * @returns both, the webhooks keyed by name in the order of their declaration.
 */
export function separateWebhooks(emitted: Record<string, PathItem>) {
  const paths: Record<string, PathItem> = {};
  const webhooks: Record<string, PathItem> = {};
  for (const [path, item] of Object.entries(emitted)) {
    for (const [verb, operation] of Object.entries(item)) {
      simplify(operation);
      const { [WEBHOOK_EXTENSION]: name, ...rest } = operation;
      if (typeof name !== "string") {
        paths[path] = { ...paths[path], [verb]: operation };
        continue;
      }
      // The service's own security says who may call it, not how it calls others.
      const { operationId, ...described } = rest;
      webhooks[name] = { [verb]: { operationId: name, ...described, security: [] } as Operation };
    }
  }
  return { paths, webhooks };
}

/** Brings what the emitter says at length to its shortest equal form. */
function simplify(operation: Operation): void {
  if (operation.parameters?.length === 0) delete operation.parameters;
  // "Nothing, or nothing" is nothing; some readers refuse a token where they read it otherwise.
  if (operation.security?.every((scheme) => Object.keys(scheme).length === 0)) {
    operation.security = [];
  }
}
