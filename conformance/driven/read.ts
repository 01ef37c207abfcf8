import type { Session } from "../session.ts";
import type { Exchange } from "../transport/exchange.ts";

/** Resources as the API shows them when they are asked for. */

export function readTransaction(session: Session, transactionId: string): Promise<Exchange> {
  const params = { path: { transactionId } };
  return session.ask((feed) => feed.GET("/transactions/{transactionId}", { params }));
}

export function readMessage(session: Session, id: string): Promise<Exchange> {
  return session.ask((feed) =>
    feed.GET("/transaction-messages/{id}", { params: { path: { id } } }),
  );
}

export function readSubscription(session: Session, id: string): Promise<Exchange> {
  return session.ask((feed) => feed.GET("/card-subscriptions/{id}", { params: { path: { id } } }));
}

export function readFeed(session: Session, id: string): Promise<Exchange> {
  return session.ask((feed) => feed.GET("/network-bulk-feeds/{id}", { params: { path: { id } } }));
}

export function readBankAccount(session: Session, id: string): Promise<Exchange> {
  return session.ask((feed) => feed.GET("/bank-accounts/{id}", { params: { path: { id } } }));
}
