import { describe } from "vitest";
import { testLeases } from "./leases.ts";
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
 */
export function testInbox<Tx>(name: string, open: OpenInbox<Tx>, isSerial = false): void {
  describe(name, () => {
    testReceipt(open);
    testLeases(open);
    testOperation(open);
    testOnce(open, isSerial);
    testTransactions(open, isSerial);
  });
}
