import type { EventName, EventPayloads } from "../../../generated/events.ts";
import { eventsOf } from "../../../src/sandbox/event-log.ts";
import { Refusal } from "../../../src/world/refusal.ts";
import type { enrollmentVerbs, VerbParams } from "../../../src/world/verbs/index.ts";
import { TestSandbox } from "../test-sandbox.ts";
import { dumpState } from "../test-service.ts";

export { namesOf } from "../activity/fixture.ts";

/** The enrollment verbs. */
export type EnrollmentVerb = keyof typeof enrollmentVerbs;

/** A service with two empty accounts, and helpers for the enrollment tests. */
export class EnrollmentSandbox extends TestSandbox {
  readonly accountIds: readonly [string, string];

  constructor(seed = 1) {
    super({ seed });
    const [first, second] = this.engine.store.accounts();
    this.accountIds = [first?.accountId ?? "", second?.accountId ?? ""];
  }

  /** The error of a refused verb, which must change nothing; undefined if the verb succeeds. */
  refusal<Name extends EnrollmentVerb>(verb: Name, params?: VerbParams[Name]): Refusal | undefined {
    const before = dumpState(this.engine.store);
    try {
      this.run(verb, params);
      return undefined;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (dumpState(this.engine.store) !== before)
        throw new Error(`${verb} was refused and changed something`);
      return error;
    }
  }

  /** The bodies of an account's events with a name. */
  sent<Name extends EventName>(name: Name, accountId = ""): EventPayloads[Name][] {
    const events = eventsOf(this.engine.store, { name, accountId });
    return events.map(({ body }) => body as EventPayloads[Name]);
  }
}
