import { readdirSync, readFileSync } from "node:fs";
import type { EventName } from "../generated/events.ts";

const FOLDER = new URL("../spec/examples/", import.meta.url);

/** Reads the example `<event>/<name>` of the contract. */
export function example(event: EventName, name: string): unknown {
  return JSON.parse(readFileSync(new URL(`${event}/${name}.json`, FOLDER), "utf8")).value;
}

/** Reads every example of an event, each with its name. */
export function examples(event: EventName): readonly [name: string, body: unknown][] {
  const names = readdirSync(new URL(`${event}/`, FOLDER)).map((file) =>
    file.replace(/\.json$/, ""),
  );
  return names.map((name) => [name, example(event, name)]);
}
