import type { Session } from "../run/session.ts";
import type { Exchange } from "../wire/exchange.ts";

export function readTransaction(session: Session, transactionId: string): Promise<Exchange> {
  return session.call("GET /transactions/{transactionId}", { path: { transactionId } });
}

export function readMessage(session: Session, id: string): Promise<Exchange> {
  return session.call("GET /transaction-messages/{id}", { path: { id } });
}

export function readSubscription(session: Session, id: string): Promise<Exchange> {
  return session.call("GET /card-subscriptions/{id}", { path: { id } });
}

export function readFeed(session: Session, id: string): Promise<Exchange> {
  return session.call("GET /network-bulk-feeds/{id}", { path: { id } });
}

export function readBankAccount(session: Session, id: string): Promise<Exchange> {
  return session.call("GET /bank-accounts/{id}", { path: { id } });
}
