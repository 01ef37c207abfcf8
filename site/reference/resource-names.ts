import { type ResourceName, resourceOperations, resources } from "../../generated/resources.ts";
import { type Operation, operationsByKey } from "./contract.ts";
import { resourcePath } from "./paths.ts";

/** The page of a resource. */
interface ResourcePage {
  readonly name: ResourceName;
  readonly path: string;
  /** The tag of its operations and events, which is its title too. */
  readonly tag: string;
  /** The operation whose response is the resource, or a page of it. */
  readonly operation: Operation;
}

/** The page of each resource, by its name in paths. */
export const resourcePages: ReadonlyMap<string, ResourcePage> = new Map(
  (Object.keys(resources) as ResourceName[]).map((name) => {
    const kind = resources[name].path.slice(1);
    const keys: { readonly get?: string; readonly list?: string } = resourceOperations[name];
    const operation = operationsByKey.get(keys.get ?? keys.list ?? "");
    const tag = operation?.tags[0];
    if (!operation || tag === undefined) throw new Error(`${name} has no operation with a tag`);
    return [kind, { name, path: resourcePath(kind), tag, operation }];
  }),
);
