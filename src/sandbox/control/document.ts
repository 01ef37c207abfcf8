import * as z from "zod";
import { SNAPSHOT_NAME } from "../store/snapshots.ts";
import { problem } from "./answers.ts";
import type { Route } from "./route.ts";
import { routes } from "./routes.ts";
import { kinds } from "./schemas.ts";

/** What a parameter of a path may be; any text where it is not here. */
const PATH_PARAMETERS: Readonly<Record<string, z.ZodType>> = {
  kind: z.enum(kinds),
  name: z.string().regex(SNAPSHOT_NAME),
};

/** What the document says of the stream. */
const EVENT_STREAM =
  "Server-Sent Events: each new event of the log, with its place as its id, and `change` with " +
  "the status when anything has changed. Resumes after Last-Event-ID.";

/** Makes the OpenAPI 3.1 document of the control API, from the table of its routes. */
export function controlDocument(): Record<string, unknown> {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operation(route, schemas),
    };
  }
  paths["/events/stream"] = { get: eventStream() };
  return {
    openapi: "3.1.0",
    info: {
      title: "Control of a sandbox",
      version: "1",
      description:
        "Drives a sandbox of the Card and Bank Transaction Feed interface. It is the sandbox's " +
        "own choice, and no part of the interface.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/_sandbox" }],
    security: [],
    paths,
    components: {
      schemas: schemas.all,
      responses: {
        Problem: {
          description: "The call can't be carried out, and has changed nothing.",
          content: { "application/problem+json": { schema: schemas.of(problem) } },
        },
      },
    },
  };
}

function operation(route: Route, schemas: Schemas): Record<string, unknown> {
  const { method, path, summary, extensions, query, body, answer, status = 200 } = route;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const schema = schemas.of(PATH_PARAMETERS[name] ?? z.string());
    return { name, in: "path", required: true, schema };
  });
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) => {
    return { name, in: "query", schema: schemas.of(schema) };
  });
  const isNeeded = body?.safeParse({}).success === false;
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[{}]/g, "").replaceAll("/", "-")}`,
    summary,
    ...extensions,
    parameters: [...inPath, ...inQuery],
    ...(body && { requestBody: { required: isNeeded, content: json(schemas.of(body)) } }),
    responses: {
      [status]: { description: "Done.", ...(answer && { content: json(schemas.of(answer)) }) },
      "4XX": { $ref: "#/components/responses/Problem" },
    },
  };
}

function eventStream(): Record<string, unknown> {
  return {
    operationId: "get-events-stream",
    summary: "Tells of what happens, as it happens",
    parameters: [{ name: "Last-Event-ID", in: "header", schema: { type: "integer", minimum: 0 } }],
    responses: {
      200: {
        description: EVENT_STREAM,
        content: { "text/event-stream": { schema: { type: "string" } } },
      },
      "4XX": { $ref: "#/components/responses/Problem" },
    },
  };
}

const json = (schema: unknown) => ({ "application/json": { schema } });

/** The schemas of the document: those that have an id stand among its components. */
class Schemas {
  readonly all: Record<string, unknown> = {};

  of(schema: z.ZodType): unknown {
    // Within an array also a schema that has an id itself is referred to by it.
    const { items, $defs } = z.toJSONSchema(z.array(schema), {
      io: "input",
      unrepresentable: "any",
    });
    Object.assign(this.all, withReferences($defs ?? {}));
    return withReferences(items);
  }
}

function withReferences<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema).replaceAll("#/$defs/", "#/components/schemas/"));
}
