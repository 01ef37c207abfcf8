import type { DecoratorContext, ModelProperty, Operation, Program, Type } from "@typespec/compiler";
import { $post, $route, getOperationVerb } from "@typespec/http";
import { setExtension } from "@typespec/openapi";
import { $lib, reportDiagnostic } from "./lib.ts";

/**
 * The extension that passes the name of a webhook from the decorator to the emitter. It is not
 * emitted.
 */
export const WEBHOOK_EXTENSION = "x-webhook-name";

/** The extension with the requirement ids in the document. */
export const REQUIREMENTS_EXTENSION = "x-requirements";

/** The extension with the target path of a link in the document. */
const TARGET_EXTENSION = "x-leads-to";

/** The extension with the known types of an open type in the document. */
export const OPEN_TYPE_EXTENSION = "x-extensible-type";

/** Marks an operation as a webhook. A separate route distinguishes it from paths until emission. */
function webhook(context: DecoratorContext, target: Operation, name: string): void {
  context.program.stateSet($lib.stateKeys.webhooks).add(target);
  if (!getOperationVerb(context.program, target)) context.call($post, target);
  context.call($route, target, `/~webhooks/${name}`);
  setExtension(context.program, target, WEBHOOK_EXTENSION, name);
}

/** Reports each webhook with a verb other than POST, before or after `@webhook`. */
export function $onValidate(program: Program): void {
  for (const target of program.stateSet($lib.stateKeys.webhooks)) {
    const verb = getOperationVerb(program, target as Operation);
    if (verb === undefined || verb === "post") continue;
    reportDiagnostic(program, { code: "webhook-verb", format: { verb }, target });
  }
}

/** Sets the requirements that `target` implements. */
function requirement(context: DecoratorContext, target: Type, ...ids: string[]): void {
  setExtension(context.program, target, REQUIREMENTS_EXTENSION, ids);
}

/** Declares that the type of `target` is not guaranteed. */
function openType(context: DecoratorContext, target: Type): void {
  setExtension(context.program, target, OPEN_TYPE_EXTENSION, true);
}

/** Sets the path of the GET operation for the target of a link, or of each link in an array. */
function leadsTo(context: DecoratorContext, target: ModelProperty, path: string): void {
  setExtension(context.program, target, TARGET_EXTENSION, path);
  context.program.stateMap($lib.stateKeys.leadsTo).set(target, path);
}

export const $decorators = { Webhooks: { webhook, requirement, openType, leadsTo } };
