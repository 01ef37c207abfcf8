import { type ControlOperation, controlOperations } from "../../../generated/control-operations.ts";
import type { ControlOperations, VerbName } from "../../../generated/control-types.ts";
import type { Kind } from "../../world/resources.ts";
import type { Control } from "./control.ts";

/** The parts of a request. The control checks query and body, so they fit any type here. */
interface Call {
  /** The path parameters, by name. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: never;
  readonly body: never;
}

/** An operation of the control API, and the method of the control that carries it out. */
export interface Route extends ControlOperation {
  readonly method: string;
  /** Below `/_sandbox`, with its parameters in braces. */
  readonly path: string;
  readonly run: (control: Control, call: Call) => Promise<unknown>;
}

type Key = keyof ControlOperations;
type VerbKey = Extract<Key, `POST /verbs/${string}`>;

/** The operations that are neither a verb nor the event stream. */
const methods: Readonly<Record<Exclude<Key, VerbKey | "GET /events/stream">, Route["run"]>> = {
  "GET /status": (control) => control.status(),
  "GET /verbs": (control) => control.verbs(),
  "POST /dry-runs": (control, { body }) => control.dryRun(body),
  "GET /clock": (control) => control.readClock(),
  "PUT /clock": (control, { body }) => control.setClock(body),
  "POST /clock/advance": (control, { body }) => control.advance((body as { by: string }).by),
  "POST /settle": (control) => control.settle(),
  "GET /events": (control, { query }) => control.events(query),
  "GET /resources/{kind}": (control, { path, query }) =>
    control.resources(path["kind"] as Kind, query),
  "GET /resources/{kind}/{id}": (control, { path }) =>
    control.resource(path["kind"] as Kind, path["id"] ?? ""),
  "GET /endpoints": (control) => control.endpoints(),
  "POST /endpoints": (control, { body }) => control.addEndpoint(body),
  "DELETE /endpoints/{id}": (control, { path }) => control.removeEndpoint(path["id"] ?? ""),
  "GET /deliveries": (control, { query }) => control.deliveries(query),
  "POST /deliveries/{id}/replay": (control, { path }) => control.replay(path["id"] ?? ""),
  "POST /deliveries/replay": (control) => control.replay("all"),
  "GET /faults": (control) => control.faults(),
  "PUT /faults": (control, { body }) => control.setFaults(body),
  "POST /reset": (control, { body }) => control.reset(body),
  "GET /snapshots": (control) => control.snapshots(),
  "PUT /snapshots/{name}": (control, { path }) => control.snapshot(path["name"] ?? ""),
  "POST /snapshots/{name}/restore": (control, { path }) => control.restore(path["name"] ?? ""),
};

/** Every operation of the control API, except the event stream. */
export const routes: readonly Route[] = Object.entries(controlOperations).flatMap(
  ([key, operation]) => {
    const [method = "", path = ""] = key.split(" ");
    const verb = path.replace("/verbs/", "") as VerbName;
    const run = path.startsWith("/verbs/")
      ? (control: Control, { body }: Call) => control.trigger(verb, body)
      : (methods as Readonly<Record<string, Route["run"] | undefined>>)[key];
    return run ? [{ ...operation, method, path, run }] : [];
  },
);
