import { type Document, isJson, locate, memberPointer, membersOf } from "./document.ts";
import {
  type Message,
  MessageReader,
  type Operation,
  type Pointers,
  withoutNames,
} from "./message.ts";

/** An operation or an event. */
export interface Entry {
  /** As the document writes it. */
  readonly name: string;
  readonly pointer: string;
  /** The alternatives to authorize a call, each as a list of schemes and scopes. */
  readonly security: readonly (readonly string[])[];
  /** The statuses of its responses. */
  readonly statuses: readonly string[];
  /** The statuses whose responses have a body. */
  readonly bodied: readonly string[];
}

/** A document, read for a comparison. */
export interface Contract {
  readonly document: Document;
  /** By name, without the names of path parameters. */
  readonly operations: ReadonlyMap<string, Entry>;
  readonly events: ReadonlyMap<string, Entry>;
  /** By flow and name. The key does not depend on the names of path parameters. */
  readonly messages: ReadonlyMap<string, Message>;
  /** Each requirement id, and the first place that names it. */
  readonly requirements: ReadonlyMap<string, string>;
  readonly pointers: Pointers;
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** Reads the operations, events and requirements of a document. */
export function readContract(document: Document): Contract {
  const reader = new MessageReader(document);
  const operations = new Map<string, Entry>();
  const events = new Map<string, Entry>();
  const messages = new Map<string, Message>();
  const add = (flow: string, found: readonly [string, Message][]) => {
    for (const [key, message] of found) messages.set(`${flow} ${key}`, message);
  };
  for (const operation of operationsOf(document, "paths")) {
    operations.set(withoutNames(operation.name), entryOf(document, operation));
    add("request", reader.requestOf(operation));
    add("response", reader.responsesOf(operation));
  }
  for (const operation of operationsOf(document, "webhooks")) {
    events.set(operation.name, entryOf(document, operation));
    add("delivery", reader.deliveryOf(operation));
  }
  const requirements = requirementsOf(document);
  return { document, operations, events, messages, requirements, pointers: reader.pointers };
}

function operationsOf(document: Document, section: "paths" | "webhooks"): Operation[] {
  return membersOf(document[section]).flatMap(([path, at]) => {
    const item = locate(document, at, memberPointer("", section, path));
    return METHODS.filter((method) => isJson(item.value[method])).map((method) => ({
      // A delivery is a POST unless the document says another method.
      name: section === "webhooks" && method === "post" ? path : `${method.toUpperCase()} ${path}`,
      path,
      item,
      operation: locate(document, item.value[method], memberPointer(item.pointer, method)),
      type: `$.${section}[${JSON.stringify(path)}]["${method}"]`,
    }));
  });
}

function entryOf(document: Document, { name, operation }: Operation): Entry {
  const { security = document.security, responses } = operation.value;
  return {
    name,
    pointer: operation.pointer,
    security: securityOf(document, security),
    statuses: membersOf(responses).map(([status]) => status),
    bodied: membersOf(responses)
      .filter(([, response]) => isJson(locate(document, response, "").value.content))
      .map(([status]) => status),
  };
}

/** The alternatives of a security requirement. Schemes are identified by content, not by name. */
function securityOf(document: Document, security: unknown): string[][] {
  const alternatives = Array.isArray(security) ? security : [{}];
  if (alternatives.length === 0) return [[]];
  const { securitySchemes } = isJson(document.components) ? document.components : {};
  const schemes = isJson(securitySchemes) ? securitySchemes : {};
  return alternatives.map((alternative) =>
    membersOf(alternative).flatMap(([name, scopes]) => {
      const { value } = locate(document, schemes[name], "");
      const { type, scheme, in: where, name: header } = value;
      const what = [type ?? name, scheme, where, header].filter(Boolean).join(" ");
      const wanted = Array.isArray(scopes) ? scopes.map((scope) => `${what}: ${scope}`) : [];
      return [what, ...wanted];
    }),
  );
}

/** The ids that `x-requirements` names, at any place of the document. */
function requirementsOf(document: Document): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (node: unknown, pointer: string): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [name, child] of Object.entries(node)) {
      const at = memberPointer(pointer, name);
      if (name === "x-requirements" && Array.isArray(child)) {
        for (const id of child) if (!found.has(id)) found.set(String(id), at);
      } else if (name !== "example" && name !== "examples") {
        visit(child, at);
      }
    }
  };
  visit(document, "");
  return found;
}
