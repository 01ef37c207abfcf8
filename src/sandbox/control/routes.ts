import type { Control } from "./control.ts";

/** The method of each operation of the control API, and its path below `/_sandbox`. */
export const routes = {
  status: "GET /status",
  verbs: "GET /verbs",
  trigger: "POST /verbs/{verb}",
  dryRun: "POST /dry-runs",
  readClock: "GET /clock",
  setClock: "PUT /clock",
  advance: "POST /clock/advance",
  settle: "POST /settle",
  events: "GET /events",
  resources: "GET /resources/{kind}",
  resource: "GET /resources/{kind}/{id}",
  endpoints: "GET /endpoints",
  addEndpoint: "POST /endpoints",
  removeEndpoint: "DELETE /endpoints/{id}",
  deliveries: "GET /deliveries",
  replay: "POST /deliveries/{id}/replay",
  replayAll: "POST /deliveries/replay",
  faults: "GET /faults",
  setFaults: "PUT /faults",
  reset: "POST /reset",
  snapshots: "GET /snapshots",
  snapshot: "PUT /snapshots/{name}",
  restore: "POST /snapshots/{name}/restore",
} as const;

/** The name of an operation: a method of the control, or `replayAll`. */
export type OperationName = keyof typeof routes;

/** The names of the parameters in the path of an operation, in order. */
export function pathParameters(name: OperationName): string[] {
  return [...routes[name].matchAll(/\{(\w+)\}/g)].map(([, parameter = ""]) => parameter);
}

/**
 * Carries out an operation.
 *
 * @param args the parameters of the path, in order, then the query or the body
 */
type CarryOut = (name: OperationName, args: readonly unknown[]) => Promise<unknown>;

/** A control whose methods carry out operations. */
export function controlBy(carryOut: CarryOut): Control {
  const { replayAll: _, ...own } = routes;
  const methods = Object.keys(own).map((name) => {
    return [name, (...args: unknown[]) => carryOut(name as OperationName, args)];
  });
  return {
    ...Object.fromEntries(methods),
    advance: (by: string) => carryOut("advance", [{ by }]),
    replay: (id: string) => (id === "all" ? carryOut("replayAll", []) : carryOut("replay", [id])),
  };
}
