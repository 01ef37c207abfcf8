import { ignoreDiagnostics, type Namespace, type Program } from "@typespec/compiler";
import { type HttpOperationResponse, listHttpOperationsIn } from "@typespec/http";
import { getOpenAPITypeName } from "@typespec/openapi";
import type { Document, PathItem, Response } from "./document.ts";

/**
 * Moves each response that occurs several times to `components/responses`, under the name of its
 * model: errors, and responses without a body. A response with a body may have examples of its own.
 *
 * @param emitted All operations of the document, by the path that `@typespec/http` gives them.
 */
export function shareResponses(
  program: Program,
  service: Namespace,
  emitted: Readonly<Record<string, PathItem>>,
  document: Document,
): void {
  const uses = new Map<string, { name: string; response: Response; share: (() => void)[] }>();
  const operations = ignoreDiagnostics(
    listHttpOperationsIn(program, service, { listOptions: { recursive: true } }),
  );
  for (const { path, verb, responses } of operations) {
    const { responses: all = {} } = emitted[path]?.[verb] ?? {};
    for (const [status, response] of Object.entries(all)) {
      const name = modelOf(program, service, responses, status);
      if (name === undefined || (response.content && /^2/.test(status))) continue;
      const key = JSON.stringify([name, response]);
      const use = uses.get(key) ?? { name, response, share: [] };
      const $ref = `#/components/responses/${name}`;
      use.share.push(() => Object.assign(all, { [status]: { $ref } }));
      uses.set(key, use);
    }
  }
  const shared: Record<string, Response> = {};
  for (const { name, response, share } of uses.values()) {
    // A second response of this name, which differs, stays where it is.
    if (share.length < 2 || Object.hasOwn(shared, name)) continue;
    shared[name] = response;
    for (const replace of share) replace();
  }
  if (Object.keys(shared).length === 0) return;
  document.components = { ...document.components, responses: shared };
}

/** The name of the model of a status; undefined if it has none, or several models. */
function modelOf(
  program: Program,
  service: Namespace,
  responses: readonly HttpOperationResponse[],
  status: string,
): string | undefined {
  const types = responses.filter(({ statusCodes }) => {
    const code = statusCodes === "*" ? "default" : String(statusCodes);
    return code === status;
  });
  const [{ type } = {}, ...others] = types;
  if (others.length > 0 || type?.kind !== "Model" || !type.name || type.indexer) return undefined;
  return getOpenAPITypeName(program, type, { namespaceFilter: (one) => one !== service });
}
