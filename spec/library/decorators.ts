import type { DecoratorContext, Model, ModelProperty, Operation, Type } from "@typespec/compiler";
import { getExtensions, setExtension } from "@typespec/openapi";
import { $lib } from "./lib.ts";
import { webhook } from "./webhooks.ts";

/** The extension with the requirement ids in the document. */
export const REQUIREMENTS_EXTENSION = "x-requirements";

/** The extension with the target path of a link in the document. */
const TARGET_EXTENSION = "x-leads-to";

/** The extensions with the resource of a webhook in the document. */
const RESOURCE_ID_EXTENSION = "x-resource-id";
const ORDER_EXTENSION = "x-order-by";

/** The extension with the known types of an open type in the document. */
export const OPEN_TYPE_EXTENSION = "x-extensible-type";

/** Adds requirements that `target` implements, before those that it has already. */
function requirement({ program }: DecoratorContext, target: Type, ...ids: string[]): void {
  const present = getExtensions(program, target).get(REQUIREMENTS_EXTENSION) ?? [];
  setExtension(program, target, REQUIREMENTS_EXTENSION, [...new Set([...ids, ...present])]);
}

/** Declares that the type of `target` is not guaranteed. */
function openType(context: DecoratorContext, target: Type): void {
  setExtension(context.program, target, OPEN_TYPE_EXTENSION, true);
}

/** Declares that the types of the properties of `target` are not guaranteed, with exceptions. */
function openProperties(context: DecoratorContext, target: Model, guaranteed: Type): void {
  const variants = guaranteed.kind === "Union" ? [...guaranteed.variants.values()] : [];
  const exceptions = new Set([guaranteed, ...variants.map(({ type }) => type)]);
  for (const property of target.properties.values()) {
    if (exceptions.has(property.type)) continue;
    openType(context, property);
    // A copy of the property, such as by a spread, gets the decorators of the property.
    property.decorators.push({ decorator: openType, args: [] });
  }
}

/** Sets the path of the GET operation for the target of a link, or of each link in an array. */
function leadsTo(context: DecoratorContext, target: ModelProperty, path: string): void {
  setExtension(context.program, target, TARGET_EXTENSION, path);
  context.program.stateMap($lib.stateKeys.leadsTo).set(target, path);
}

/** Marks the property with the id of an event's resource. */
function resourceId({ program }: DecoratorContext, target: ModelProperty): void {
  setExtension(program, target, RESOURCE_ID_EXTENSION, true);
}

/** Sets the resource by which the deliveries of a webhook are ordered. */
function orderBy({ program }: DecoratorContext, target: Operation, path: string, id: string): void {
  setExtension(program, target, ORDER_EXTENSION, { path, id });
  program.stateMap($lib.stateKeys.leadsTo).set(target, path);
}

export const $decorators = {
  Webhooks: { webhook, requirement, openType, openProperties, leadsTo, resourceId, orderBy },
};
