import {
  type Document,
  isJson,
  type Json,
  type Located,
  locate,
  memberPointer,
  membersOf,
} from "./document.ts";

/** A webhook that the service sends, or a request or a response of an operation. */
export type Flow = "delivery" | "request" | "response";

/**
 * A message of the contract as one JSON Schema: `{headers, body}` for a delivery or a response,
 * `{path, query, header, body}` for a request.
 */
export interface Message {
  readonly flow: Flow;
  /** The event, operation or response without its media type, as keys name it. */
  readonly owner: string;
  /** Empty if it has no body. */
  readonly media: string;
  readonly pointer: string;
  /** The event's name, or the operation with its status, such as `GET /cards/{id} 200`. */
  readonly label: string;
  readonly schema: Json;
  /** The messages that the document has as examples. */
  readonly examples: readonly unknown[];
  /**
   * The TypeScript type of a part of the message, in a module `$`; undefined if it has none of its
   * own.
   */
  readonly typeOf: (part: string) => string | undefined;
  /** The names of its headers as the document writes them, by their names in lower case. */
  readonly headerNames: ReadonlyMap<string, string>;
}

/** The pointers of the schemas of messages. */
export type Pointers = Map<unknown, string>;

const JSON_MEDIA = "application/json";
const ANY_OBJECT: Json = { type: "object" };

/** An operation of the document. */
export interface Operation {
  /** A method and path, such as `GET /cards/{id}`, or an event's name. */
  readonly name: string;
  readonly path: string;
  readonly item: Located;
  readonly operation: Located;
  /** Its TypeScript type. */
  readonly type: string;
}

/** Makes the messages of a document's operations, and keeps the pointers of their schemas. */
export class MessageReader {
  readonly pointers: Pointers = new Map();
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
  }

  /** The delivery of an event, a message for each media type. */
  deliveryOf({ name, item, operation, type }: Operation): [key: string, Message][] {
    const headers = this.#parameters(item, operation, "header");
    const body = this.#body(operation);
    return this.#contents(body).map(({ media, schema, examples }) => [
      keyOf(name, media),
      {
        flow: "delivery",
        owner: name,
        media,
        pointer: operation.pointer,
        label: keyOf(name, media),
        headerNames: namesOf(headers),
        schema: messageSchema({ headers: headers.schema }, schema, body.value.required === true),
        examples: examples.map((value) => ({ headers: {}, body: value })),
        typeOf: (part) =>
          part === "body"
            ? contentType(`${type}["requestBody"]`, media)
            : `${type}["parameters"]["header"]`,
      },
    ]);
  }

  /** The request of an operation, a message for each media type of its body. */
  requestOf({ name, path, item, operation, type }: Operation): [key: string, Message][] {
    const names = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, found = ""]) => found);
    const header = this.#parameters(item, operation, "header");
    const parts = {
      path: this.#parameters(item, operation, "path", names).schema,
      query: this.#parameters(item, operation, "query").schema,
      header: header.schema,
    };
    const body = this.#body(operation);
    return this.#contents(body).map(({ media, schema, examples }) => [
      keyOf(withoutNames(name), media),
      {
        flow: "request",
        owner: withoutNames(name),
        media,
        pointer: operation.pointer,
        label: keyOf(name, media),
        headerNames: namesOf(header),
        schema: messageSchema(parts, schema, body.value.required === true),
        examples: examples.map((value) => ({ body: value })),
        typeOf: (part) => {
          if (part === "path") return undefined;
          if (part === "body") return contentType(`${type}["requestBody"]`, media);
          return `${type}["parameters"]["${part}"]`;
        },
      },
    ]);
  }

  /** The responses of an operation, a message for each status and media type. */
  responsesOf({ name, operation, type }: Operation): [key: string, Message][] {
    const responses = membersOf(operation.value.responses);
    return responses.flatMap(([status, at]) => {
      const pointer = memberPointer(operation.pointer, "responses", status);
      const response = locate(this.#document, at, pointer);
      const headers = this.#headers(response);
      const own = `${type}["responses"][${/^\d+$/.test(status) ? status : `"${status}"`}]`;
      return this.#contents(response).map(({ media, schema, examples }): [string, Message] => [
        keyOf(withoutNames(`${name} ${status}`), media),
        {
          flow: "response",
          owner: withoutNames(`${name} ${status}`),
          media,
          pointer: response.pointer,
          label: keyOf(`${name} ${status}`, media),
          headerNames: namesOf(headers),
          schema: messageSchema({ headers: headers.schema }, schema, schema !== undefined),
          examples: examples.map((value) => ({ headers: {}, body: value })),
          typeOf: (part) => (part === "body" ? contentType(own, media) : `${own}["headers"]`),
        },
      ]);
    });
  }

  #body({ value, pointer }: Located): Located {
    return locate(this.#document, value.requestBody, memberPointer(pointer, "requestBody"));
  }

  /** The media types of a body with their schemas; one without a schema if it has no content. */
  #contents({ value, pointer }: Located) {
    const contents = membersOf(value.content).map(([media, content]) => {
      const { schema, example, examples } = isJson(content) ? content : {};
      const own = schemaObject(schema);
      this.pointers.set(own, memberPointer(pointer, "content", media, "schema"));
      const shown = membersOf(examples).flatMap(([, one]) =>
        isJson(one) && "value" in one ? [one.value] : [],
      );
      return { media, schema: own, examples: example === undefined ? shown : [example, ...shown] };
    });
    return contents.length > 0 ? contents : [{ media: "", schema: undefined, examples: [] }];
  }

  /** The parameters of a location as an object; with `names`, by their places in the path. */
  #parameters(item: Located, operation: Located, location: string, names?: readonly string[]) {
    const found = new Map<string, Located>();
    for (const owner of [item, operation]) {
      const list = owner.value.parameters;
      for (const [at, parameter] of (Array.isArray(list) ? list : []).entries()) {
        const pointer = memberPointer(owner.pointer, "parameters", String(at));
        const located = locate(this.#document, parameter, pointer);
        if (located.value.in === location) found.set(String(located.value.name), located);
      }
    }
    const members = [...found].map(([name, located]): [string, Located] => [
      names ? String(names.indexOf(name)) : name,
      located,
    ]);
    const isHeader = location === "header";
    return this.#record(members, memberPointer(operation.pointer, "parameters"), isHeader);
  }

  #headers({ value, pointer }: Located) {
    const members = membersOf(value.headers).map(([name, header]): [string, Located] => [
      name,
      locate(this.#document, header, memberPointer(pointer, "headers", name)),
    ]);
    return this.#record(members, memberPointer(pointer, "headers"), true);
  }

  /** The names of headers are in lower case: their case means nothing. */
  #record(members: readonly [string, Located][], pointer: string, isHeader: boolean) {
    const all = members.map(([name, { value, pointer: at }]) => {
      const [[media, content] = ["", undefined]] = membersOf(value.content);
      const schema = schemaObject(value.schema ?? (isJson(content) ? content.schema : undefined));
      const own = value.schema === undefined ? ["content", media, "schema"] : ["schema"];
      this.pointers.set(schema, memberPointer(at, ...own));
      return { name, key: isHeader ? name.toLowerCase() : name, schema, value };
    });
    const schema = {
      ...ANY_OBJECT,
      properties: Object.fromEntries(all.map((one) => [one.key, one.schema])),
      required: all.filter(({ value }) => value.required === true).map(({ key }) => key),
    };
    this.pointers.set(schema, pointer);
    return { schema, names: all.map(({ name }) => name) };
  }
}

function namesOf({ names }: { readonly names: readonly string[] }): ReadonlyMap<string, string> {
  return new Map(names.map((name) => [name.toLowerCase(), name]));
}

/** A schema as an object: `false` allows nothing, other values that are not objects allow all. */
function schemaObject(schema: unknown): Json {
  if (isJson(schema)) return schema;
  return schema === false ? { not: {} } : {};
}

function messageSchema(
  parts: Readonly<Record<string, Json>>,
  body: Json | undefined,
  must: boolean,
) {
  return {
    ...ANY_OBJECT,
    properties: { ...parts, ...(body && { body }) },
    required: [...Object.keys(parts), ...(body && must ? ["body"] : [])],
  };
}

function keyOf(name: string, media: string): string {
  return media === "" || media === JSON_MEDIA ? name : `${name} ${media}`;
}

function contentType(type: string, media: string): string {
  return `NonNullable<${type}>["content"][${JSON.stringify(media)}]`;
}

/** A name without the names of its path parameters, which are not sent. */
export function withoutNames(name: string): string {
  return name.replace(/\{[^{}]*\}/g, "{}");
}
