import * as z from "zod";
import { JSON_SCHEMA, jsonSchemaOf } from "../../world/schema.ts";
import { verbs } from "../../world/verbs/index.ts";
import { type AnyOperation, operations } from "./operations.ts";
import { type OperationName, pathParameters, routes } from "./routes.ts";
import * as types from "./types.ts";

type Json = Readonly<Record<string, unknown>>;

/** An operation of the document. */
interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly "x-requirements"?: readonly string[];
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Json;
}

/** The OpenAPI document of the control API. */
interface ControlDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

const uri = (name: string) => `#/components/schemas/${name}`;

const components = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(types)) components.add(schema, { id });

/** Describes every operation of the control API. Needs no running sandbox. */
export function controlDocument(): ControlDocument {
  const paths: Record<string, Record<string, DocumentedOperation>> = {};
  for (const { route, ...operation } of documentedOperations()) {
    const [method = "", path = ""] = route.toLowerCase().split(" ");
    const operationId = `${method}${path.replaceAll(/[{}]/g, "").replaceAll("/", "-")}`;
    paths[path] = { ...paths[path], [method]: { operationId, ...operation } };
  }
  const all = componentSchemas();
  const text = JSON.stringify([paths, all]);
  const used = Object.entries(all).filter(([name]) => text.includes(`"${uri(name)}"`));
  const description =
    "Drives a sandbox of the Card and Bank Transaction Feed interface. It is not part of it.";
  const license = { name: "MIT", identifier: "MIT" };
  return {
    openapi: "3.1.0",
    ...{ info: { title: "Control of a sandbox", version: "1", license, description } },
    ...{ servers: [{ url: "/_sandbox", description: "The sandbox" }], security: [{}] },
    paths,
    components: { schemas: Object.fromEntries(used) },
  };
}

/** The JSON Schema of every shape of the control API, by its name. */
export function componentSchemas(): Record<string, Json> {
  const { schemas } = z.toJSONSchema(components, { ...JSON_SCHEMA, uri });
  const named = Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [
    name,
    schema,
  ]);
  return Object.fromEntries(named);
}

type RoutedOperation = Omit<DocumentedOperation, "operationId"> & { readonly route: string };

function documentedOperations(): RoutedOperation[] {
  return (Object.keys(operations) as OperationName[]).flatMap((name) => {
    if (name === "trigger") return Object.values(verbs).map(triggerOf);
    return name === "events" ? [operationOf(name), STREAM] : operationOf(name);
  });
}

function operationOf(name: OperationName): RoutedOperation {
  const { summary, path = {}, input, example, result, status }: AnyOperation = operations[name];
  const inPath = pathParameters(name).map((parameter) => {
    return {
      name: parameter,
      in: "path",
      required: true,
      schema: schemaOf(path[parameter] ?? z.string()),
    };
  });
  const isGet = routes[name].startsWith("GET ");
  const parameters = [
    ...inPath,
    ...(isGet && input instanceof z.ZodObject ? queryOf(input, example) : []),
  ];
  return {
    route: routes[name],
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(!isGet && input && { requestBody: bodyOf(input, example) }),
    responses: responsesOf(result && schemaOf(result), status),
  };
}

function triggerOf({
  name,
  summary,
  requirements,
  params,
  example,
  result,
}: AnyVerb): RoutedOperation {
  const outcome = {
    type: "object",
    required: ["verb", "result", "events"],
    properties: {
      verb: { const: name },
      result: {
        ...schemaOf(result),
        description: "The ids of the resources that the verb created or changed.",
      },
      events: {
        ...schemaOf(z.array(types.LoggedEvent)),
        description: "The events that the verb sent, in order.",
      },
    },
  };
  return {
    route: `POST /verbs/${name}`,
    summary,
    "x-requirements": requirements,
    requestBody: bodyOf(params, example),
    responses: responsesOf(outcome),
  };
}

type AnyVerb = (typeof verbs)[keyof typeof verbs];

/** The errors of every operation. */
const REFUSED: Json = {
  "4XX": {
    description: "An error: a problem document of RFC 9457.",
    content: { "application/problem+json": { schema: { $ref: uri("Problem") } } },
  },
};

/** The event stream: the only operation that does not respond with JSON. */
const STREAM: RoutedOperation = {
  route: "GET /events/stream",
  summary: "Streams events as they happen",
  parameters: [{ name: "Last-Event-ID", in: "header", schema: { type: "integer", minimum: 0 } }],
  responses: {
    ...REFUSED,
    200: {
      description:
        "Server-Sent Events: each new event of the log, with its position as its id, and after " +
        "each change `change` with the status. Resumes after `Last-Event-ID`.",
      content: { "text/event-stream": { schema: { type: "string" } } },
    },
  },
};

/** A reference to a component, or the schema itself. */
export function schemaOf(schema: z.ZodType): Json {
  const id = components.get(schema)?.id;
  if (id !== undefined) return { $ref: uri(id) };
  if (!(schema instanceof z.ZodArray)) return jsonSchemaOf(schema);
  return { type: "array", items: schemaOf(schema.element as z.ZodType) };
}

/** The parameters of a query, which are all optional. */
function queryOf({ shape }: z.ZodObject, example: unknown): Json[] {
  return Object.entries(shape).map(([name, field]) => {
    const value = field instanceof z.ZodOptional ? (field.unwrap() as z.ZodType) : z.never();
    const { description, ...schema } = schemaOf(value);
    const given = Object(example)[name];
    return {
      ...{ name, in: "query", schema },
      ...(description !== undefined && { description }),
      ...(given !== undefined && { example: given }),
    };
  });
}

function bodyOf(input: z.ZodType, example: unknown): Json {
  const content = { "application/json": { schema: schemaOf(input), example } };
  return { required: !input.safeParse({}).success, content };
}

function responsesOf(schema?: Json, status = schema ? 200 : 204): Json {
  return {
    [status]: schema
      ? { description: "The request has succeeded.", content: { "application/json": { schema } } }
      : { description: "The request has succeeded; there is no response body." },
    ...REFUSED,
  };
}
