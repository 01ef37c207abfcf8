import { describe } from "vitest";
import { testFacts, testRandomCalls } from "./calls.ts";
import { testOnce } from "./once.ts";
import { testOperation } from "./operation.ts";
import { testReceipt } from "./receipt.ts";
import type { OpenInbox } from "./store.ts";
import { testTransactions } from "./transactions.ts";

/**
 * Tests that every inbox must pass. Each sentence of `inbox.ts` has one.
 *
 * @param isSerial Whether all calls wait while a transaction runs, because the database has a
 * single connection. Tests of calls during a transaction are skipped then.
 * @param runs How many sequences of random calls are compared with the model.
 */
export function testInbox<Tx>(
  name: string,
  open: OpenInbox<Tx>,
  isSerial = false,
  runs = 20,
): void {
  describe(name, () => {
    testFacts(open);
    testRandomCalls(name, open, runs);
    testReceipt(open);
    testOperation(open);
    testOnce(open, isSerial);
    testTransactions(open, isSerial);
  });
}
