import type { z } from "zod";
import type { Control } from "./control.ts";

/** What a route is called with. */
export interface Given<Query, Body> {
  /** The values of the path's parameters, by their names. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
}

/** A route of the control API: data, and the call of the control that it stands for. */
export interface Route<Query = unknown, Body = unknown> {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/_sandbox`, its parameters in braces. */
  readonly path: string;
  /** What it does, in a few words; its first word is capitalized. */
  readonly summary: string;
  /** What the document says beyond that, such as the requirements of a verb. */
  readonly extensions?: Readonly<Record<`x-${string}`, unknown>>;
  readonly query?: z.ZodObject & z.ZodType<Query>;
  /** What its body is; a route without one takes none. */
  readonly body?: z.ZodType<Body>;
  /** 200 unless set. */
  readonly status?: 201 | 204;
  /** What it answers; nothing with 204. */
  readonly answer?: z.ZodType;
  /** The control checks what it is given: it is typed by the schemas, and may be anything yet. */
  readonly run: (control: Control, given: Given<Query, Body>) => Promise<unknown>;
}

/** Makes a route: its function is typed by its schemas. */
export function route<Query, Body>(one: Route<Query, Body>): Route {
  return one as Route;
}
