import * as z from "zod";
import { badRequest } from "./refusal.ts";

/** The type of a schema's values. */
export type Of<Schema extends z.ZodType> = Immutable<z.output<Schema>>;

type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;

/**
 * Checks a body, a query, or the parameters of a verb.
 *
 * @param what the first word of the error, such as the name of a verb
 * @returns a copy of the input
 * @throws a Refusal 400 that names the first field that does not fit
 */
export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  what?: string,
): Of<Schema> {
  const { data, error } = schema.safeParse(input);
  const [issue] = error?.issues ?? [];
  if (!issue) return data as Of<Schema>;
  const [unknown] = issue.code === "unrecognized_keys" ? issue.keys : [];
  const path = [...issue.path, unknown].filter((segment) => segment !== undefined).join(".");
  // Without the kind of the issue: "Too big: expected string to have <=64 characters".
  const message = issue.message.replace(/^(?:Invalid \w+|Too (?:big|small)): /, "");
  const text = unknown === undefined ? message : "unknown parameter";
  throw badRequest([what, path, text].filter(Boolean).join(": "));
}

/** A JSON Schema without `$ref`, which describes an input. */
export function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, JSON_SCHEMA);
  return json;
}

/** Describes inputs, and writes `type: ["string", "null"]` instead of `anyOf`. */
export const JSON_SCHEMA = {
  io: "input",
  override: ({ zodSchema, jsonSchema }) => {
    const [inner, other] = jsonSchema.anyOf ?? [];
    if (!(zodSchema instanceof z.ZodNullable) || !inner?.type || other?.type !== "null") return;
    delete jsonSchema.anyOf;
    Object.assign(jsonSchema, inner, { type: [inner.type, "null"] });
  },
} as const satisfies Parameters<typeof z.toJSONSchema>[1];
