import type { LoggedEvent } from "../../../src/sandbox/control/control.ts";
import type { TestSandbox } from "../test-sandbox.ts";

/** An active card that is linked to a bank account. */
export function cardOnAccount(sandbox: TestSandbox, network?: string) {
  const { cardId } = sandbox.do("enroll", { cardNumber: "4000000000005205", network });
  sandbox.do("sca-pass");
  const accounts = [{ name: "Everyday Account", mask: "5205", type: "depository/checking" }];
  const { bankLinkId } = sandbox.do("link-start", { accounts });
  const { bankAccountIds } = sandbox.do("link-complete", { bankLinkId });
  return { cardId, bankAccountId: bankAccountIds[0] ?? "" };
}

/** A bank account without a card. */
export function cardlessAccount(sandbox: TestSandbox): string {
  const accounts = [{ name: "Savings", mask: "0042", type: "depository/savings" }];
  const { bankLinkId } = sandbox.do("link-start", { accounts });
  return sandbox.do("link-complete", { bankLinkId }).bankAccountIds[0] ?? "";
}

/** The names of the events sent, in order. */
export function namesOf(events: readonly LoggedEvent[]): string[] {
  return events.map(({ name }) => name);
}

/** The bodies of the events sent with a name. */
export function sent<Body = Record<string, unknown>>(
  events: readonly LoggedEvent[],
  name: string,
): Body[] {
  return events.filter((event) => event.name === name).map(({ body }) => body as Body);
}
