import type { DecoratorContext, ModelProperty, Operation, Program, Type } from "@typespec/compiler";
import { $post, $route, getOperationVerb } from "@typespec/http";
import { setExtension } from "@typespec/openapi";
import { $lib, reportDiagnostic } from "./lib.ts";

/**
 * The extension that carries a webhook's name from the decorator to the emitter; it is not emitted.
 */
export const WEBHOOK_EXTENSION = "x-webhook-name";

/** The extension under which requirement ids stand in the emitted document. */
export const REQUIREMENTS_EXTENSION = "x-requirements";

/** The extension under which the path that a link leads to stands in the emitted document. */
export const TARGET_EXTENSION = "x-leads-to";

/** The extension under which the types shown of an open type stand in the emitted document. */
export const OPEN_TYPE_EXTENSION = "x-extensible-type";

/** Marks an operation as a webhook. A route of its own keeps it apart from the paths until then. */
function webhook(context: DecoratorContext, target: Operation, name: string): void {
  context.program.stateSet($lib.stateKeys.webhooks).add(target);
  if (!getOperationVerb(context.program, target)) context.call($post, target);
  context.call($route, target, `/~webhooks/${name}`);
  setExtension(context.program, target, WEBHOOK_EXTENSION, name);
}

/** Reports each webhook with a verb other than POST, on whichever side of `@webhook` it is. */
export function $onValidate(program: Program): void {
  for (const target of program.stateSet($lib.stateKeys.webhooks)) {
    const verb = getOperationVerb(program, target as Operation);
    if (verb === undefined || verb === "post") continue;
    reportDiagnostic(program, { code: "webhook-verb", format: { verb }, target });
  }
}

/** Names the requirements that `target` carries out. */
function requirement(context: DecoratorContext, target: Type, ...ids: string[]): void {
  setExtension(context.program, target, REQUIREMENTS_EXTENSION, ids);
}

/** Declares that the type of `target` is shown and not certain. */
function openType(context: DecoratorContext, target: Type): void {
  setExtension(context.program, target, OPEN_TYPE_EXTENSION, true);
}

/** Names the path of the GET operation that a link, or each of an array of links, leads to. */
function leadsTo(context: DecoratorContext, target: ModelProperty, path: string): void {
  setExtension(context.program, target, TARGET_EXTENSION, path);
  context.program.stateMap($lib.stateKeys.leadsTo).set(target, path);
}

export const $decorators = { Webhooks: { webhook, requirement, openType, leadsTo } };
