import type { Check } from "../check.ts";
import { shape } from "../shape.ts";

export const transactions: readonly Check[] = [
  shape("TXN-01", "a transaction carries every field of the aggregate"),
  shape("TXN-02", "cardId is a card's id or null"),
  shape("TXN-04", "status is a string of an open set"),
  shape("TXN-05", "acceptor carries city, country, mcc and state"),
  shape("TXN-10", "_embedded.messages is an array where it is there"),
];
