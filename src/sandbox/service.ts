import { jobHandlers } from "../world/job-handlers.ts";
import type { Control } from "./control/control.ts";
import { carryOut, type Parts } from "./control/operations.ts";
import { controlBy } from "./control/routes.ts";
import { Dispatcher } from "./delivery/dispatcher.ts";
import { enqueue } from "./delivery/outbox.ts";
import { Jobs } from "./jobs.ts";
import { Scheduler } from "./scheduler.ts";
import { populate, type WorldName } from "./seed-data/index.ts";

/** The parts of a sandbox that its routes share. */
export interface Service extends Parts {
  readonly control: Control;
  /** The errors of the sandbox itself, a line each. */
  readonly violations: string[];
}

/** A whole service without a server. */
export interface ServiceParts extends Service {
  readonly dispatcher: Dispatcher;
}

/**
 * Connects the parts of a service, and fills an empty database with the seed data of a world.
 * Nothing that is due starts until the scheduler is woken or advanced.
 *
 * @param onFailedJob is called with the reason, in one line, when a job fails and is dropped
 */
export function createService(
  { engine, faults, world }: Pick<Service, "engine" | "faults"> & { readonly world: WorldName },
  onFailedJob: (reason: string) => void,
): ServiceParts {
  const dispatcher = new Dispatcher(engine);
  const violations: string[] = [];
  const jobs = new Jobs(engine, jobHandlers, (reason) => {
    violations.push(reason);
    onFailedJob(reason);
  });
  const scheduler = new Scheduler(engine.clock, [jobs, dispatcher]);
  engine.onEvent(
    (event) => enqueue(engine.store, event, faults),
    () => faults.mark(),
  );
  if (engine.store.accounts().length === 0) populate(engine, world);
  const parts = { engine, scheduler, faults };
  const control = controlBy((name, args) => carryOut(parts, name, args));
  return { ...parts, control, violations, dispatcher };
}
