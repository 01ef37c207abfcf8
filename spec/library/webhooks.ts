import {
  $parameterVisibility,
  type DecoratorContext,
  EmptyVisibilityProvider,
  type EnumMember,
  type EnumValue,
  getLifecycleVisibilityEnum,
  getParameterVisibilityFilter,
  type Operation,
  type Program,
} from "@typespec/compiler";
import { $post, getOperationParameters, getOperationVerb } from "@typespec/http";
import {
  type unsafe_RouteProducer as RouteProducer,
  unsafe_setRouteProducer as setRouteProducer,
} from "@typespec/http/experimental";
import type { Operation as EmittedOperation, PathItem } from "./document.ts";
import { $lib, reportDiagnostic } from "./lib.ts";

/** Marks an operation as a webhook. */
export function webhook(context: DecoratorContext, target: Operation, name: string): void {
  const { program } = context;
  program.stateMap($lib.stateKeys.webhooks).set(target, name);
  if (!getOperationVerb(program, target)) context.call($post, target);
  const ownVisibility = getParameterVisibilityFilter(program, target, EmptyVisibilityProvider);
  if (ownVisibility.any === undefined) {
    // A receiver reads a delivery. The default visibility is that of the POST of a caller: Create.
    context.call($parameterVisibility, target, lifecycleRead(program));
  }
  setRouteProducer(program, target, withoutRoute);
}

function lifecycleRead(program: Program): EnumValue {
  const read = getLifecycleVisibilityEnum(program).members.get("Read") as EnumMember;
  return { entityKind: "Value", valueKind: "EnumValue", value: read, type: read };
}

/**
 * Replaces the route of a webhook. `@typespec/http` requires a path of its own for each operation,
 * so it gets the name of the webhook, whatever the routes around it.
 */
const withoutRoute: RouteProducer = (program, operation, _parents, overloadBase, options) => {
  const name: string = program.stateMap($lib.stateKeys.webhooks).get(operation);
  const uriTemplate = keyOf(name);
  const [parameters, diagnostics] = getOperationParameters(
    program,
    operation,
    uriTemplate,
    overloadBase,
    options.paramOptions,
  );
  return [{ uriTemplate, parameters }, diagnostics];
};

/** The key of a webhook among the emitted paths. A path never starts with a colon. */
const keyOf = (name: string) => `:${encodeURIComponent(name)}`;

/** Reports each webhook with a verb other than POST, before or after `@webhook`. */
export function $onValidate(program: Program): void {
  for (const target of program.stateMap($lib.stateKeys.webhooks).keys()) {
    const verb = getOperationVerb(program, target as Operation);
    if (verb === undefined || verb === "post") continue;
    reportDiagnostic(program, { code: "webhook-verb", format: { verb }, target });
  }
}

/**
 * Splits the paths that `@typespec/openapi3` emitted into paths and webhooks.
 *
 * @returns Both; no webhooks if there are none. They are keyed by name, in the order of their
 * declaration.
 */
export function separateWebhooks(program: Program, emitted: Record<string, PathItem>) {
  const names: string[] = [...program.stateMap($lib.stateKeys.webhooks).values()];
  const nameOfKey = new Map(names.map((name) => [keyOf(name), name]));
  const paths: Record<string, PathItem> = {};
  const webhooks: Record<string, PathItem> = {};
  for (const [path, item] of Object.entries(emitted)) {
    for (const operation of Object.values(item)) simplify(operation);
    const name = nameOfKey.get(path);
    const { post } = item;
    if (name === undefined || !post) {
      paths[path] = item;
      continue;
    }
    post.operationId = name;
    // The security of the service applies to its callers, not to its own calls.
    post.security ??= [];
    webhooks[name] = item;
  }
  return Object.keys(webhooks).length > 0 ? { paths, webhooks } : { paths };
}

/** Simplifies an operation without changing its meaning. */
function simplify(operation: EmittedOperation): void {
  if (operation.parameters?.length === 0) delete operation.parameters;
  // Only empty schemes mean no security. Some readers misread them and refuse a token.
  if (operation.security?.every((scheme) => Object.keys(scheme).length === 0)) {
    operation.security = [];
  }
}
