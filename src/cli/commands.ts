import type { Command } from "./command.ts";
import { conformance } from "./conformance.ts";
import { history } from "./history.ts";
import { listen } from "./listen.ts";
import { mock } from "./mock.ts";
import { sandbox } from "./sandbox.ts";
import { trigger } from "./trigger.ts";
import { validate } from "./validate.ts";

/** Every command, in the order in which the help shows them. */
export const commands: readonly Command[] = [
  ...[validate, history, listen, conformance, mock],
  ...[sandbox, trigger],
];
