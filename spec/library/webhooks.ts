import { WEBHOOK_EXTENSION } from "./decorators.ts";
import type { Operation, PathItem } from "./document.ts";

/**
 * Splits the paths that `@typespec/openapi3` emitted into paths and webhooks.
 *
 * @returns Both. The webhooks are keyed by name, in the order of their declaration.
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
      // The security of the service applies to its callers, not to its own calls.
      const { operationId, ...described } = rest;
      webhooks[name] = { [verb]: { operationId: name, ...described, security: [] } as Operation };
    }
  }
  return { paths, webhooks };
}

/** Simplifies an operation without changing its meaning. */
function simplify(operation: Operation): void {
  if (operation.parameters?.length === 0) delete operation.parameters;
  // Only empty schemes mean no security. Some readers misread them and refuse a token.
  if (operation.security?.every((scheme) => Object.keys(scheme).length === 0)) {
    operation.security = [];
  }
}
