import { withBanner } from "./banner.ts";
import {
  type Document,
  kindOf,
  type NamedOperation,
  operationsOf,
  propertyOf,
  resolved,
  resourceName,
  type Schema,
  successSchema,
} from "./document.ts";
import { parametersOf } from "./lists.ts";

/** A resource of the contract. */
interface Resource {
  /** The first segment of its paths. */
  readonly kind: string;
  idParameters: string[];
  get?: NamedOperation;
  list?: NamedOperation;
}

/** Fields without information about the resource; the table omits them. */
const COMMON_FIELDS = ["id", "_links", "_embedded"];

/** Renders the table of resources: their addresses, operations, fields and events. */
export function renderResources(document: Document): string {
  const resources = resourcesOf(document);
  const rows = (cell: (resource: Resource) => unknown) =>
    resources
      .map((resource) => `  ${resourceName(resource.kind)}: ${JSON.stringify(cell(resource))},`)
      .join("\n");
  // Separate constants, so that a bundle contains only those that it uses.
  return withBanner(`
import type { EventName } from "./events.ts";

/** How a resource is addressed. */
export interface ResourceInfo {
  /** The path of its collection. */
  readonly path: string;
  /** The path parameters of one resource, in order. The last one is its own id. */
  readonly idParameters: readonly string[];
  /**
   * The key of its items in \`_embedded\` of a page of the collection (PAGE-10); absent if the
   * collection can't be listed.
   */
  readonly itemKey?: string;
}

/** Every resource, in the order of the contract. */
export const resources = {
${rows((resource) => ({
  path: `/${resource.kind}`,
  idParameters: resource.idParameters,
  itemKey: itemKeyOf(document, resource.list),
}))}
} as const satisfies Record<string, ResourceInfo>;

/** The name of a resource, such as \`bankAccounts\`. */
export type ResourceName = keyof typeof resources;

/** The name of a resource in paths, such as \`bank-accounts\`. */
export type ResourceKind =
  (typeof resources)[ResourceName]["path"] extends \`/\${infer Kind}\` ? Kind : never;

/** The operations that read each resource: \`get\` one, or \`list\` a page. */
export const resourceOperations = {
${rows(({ get, list }) => ({ get: get?.key, list: list?.key }))}
} as const;

/** The fields of each resource in the order of the contract, without id, _links, _embedded. */
export const resourceFields: Readonly<
  Record<ResourceName, { readonly all: readonly string[]; readonly required: readonly string[] }>
> = {
${rows((resource) => fieldsOf(document, resource))}
};

/** PAGE-01: the largest \`limit\` of a list. */
export const maxPageSize = ${maxPageSize(document)};

/** The events of each resource: those that have the tag of its operations. */
export const resourceEvents: Readonly<Record<ResourceName, readonly EventName[]>> = {
${rows((resource) => eventsOf(document, resource))}
};
`);
}

/** The resources: every first segment of the paths that need a token. */
function resourcesOf(document: Document): Resource[] {
  const found = new Map<string, Resource>();
  for (const named of operationsOf(document)) {
    const [, kind = "", ...parameters] = named.path.split("/");
    if (named.operation.security !== undefined) continue;
    const resource = found.get(kind) ?? { kind, idParameters: [] };
    found.set(kind, resource);
    if (parameters.length > 0) {
      resource.idParameters = parameters.map((part) => part.replace(/[{}]/g, ""));
    }
    if (named.method === "GET") resource[parameters.length > 0 ? "get" : "list"] = named;
  }
  return [...found.values()];
}

function itemKeyOf(document: Document, list: NamedOperation | undefined): string | undefined {
  const page = list && successSchema(document, list.operation);
  return Object.keys(propertyOf(document, page, "_embedded")?.properties ?? {})[0];
}

/** The maximum of `limit`, which is the same for every list. */
function maxPageSize(document: Document): number {
  const lists = resourcesOf(document).flatMap(({ list }) => list ?? []);
  const parameters = lists.flatMap(({ operation }) => parametersOf(document, operation));
  const limits = parameters.filter(({ name }) => name === "limit");
  return Math.max(...limits.map(({ schema }) => schema?.maximum ?? 0));
}

/** The fields of a resource; for a union, those of all its variants. */
function fieldsOf(document: Document, resource: Resource) {
  const schema = schemaOf(document, resource);
  const variants = schema.oneOf?.map((variant) => resolved(document, variant)) ?? [schema];
  const names = variants.flatMap(({ properties = {} }) => Object.keys(properties));
  const all = [...new Set(names)].filter((name) => !COMMON_FIELDS.includes(name));
  const isRequired = (name: string) => variants.every(({ required }) => required?.includes(name));
  return { all, required: all.filter(isRequired) };
}

/** The schema of one resource: the body of its GET, or an item of its list. */
function schemaOf(document: Document, { get, list }: Resource): Schema {
  if (get) return successSchema(document, get.operation) ?? {};
  const page = list && successSchema(document, list.operation);
  const embedded = propertyOf(document, page, "_embedded");
  const items = propertyOf(document, embedded, itemKeyOf(document, list) ?? "")?.items;
  return items ? resolved(document, items) : {};
}

/** The events whose tag, such as "Bank accounts", matches the resource's kind. */
function eventsOf(document: Document, { kind }: Resource): string[] {
  return Object.entries(document.webhooks).flatMap(([event, { post }]) =>
    kindOf(post) === kind ? [event] : [],
  );
}
