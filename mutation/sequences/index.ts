import { connectedFaults } from "./connected.ts";
import { connectionFaults } from "./connections.ts";
import { moneyFaults } from "./money.ts";
import type { SequenceFault } from "./past.ts";
import { subscriptionFaults } from "./subscriptions.ts";

/** Bugs that show only after a sequence of steps. */
export const sequenceFaults: readonly SequenceFault[] = [
  ...subscriptionFaults,
  ...connectionFaults,
  ...connectedFaults,
  ...moneyFaults,
];
