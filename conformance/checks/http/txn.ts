import type { Check } from "../../check.ts";
import { inAnswers } from "../../shape.ts";

export const transactions: readonly Check[] = [
  inAnswers("TXN-01", "a transaction carries every field of the aggregate"),
  inAnswers("TXN-02", "cardId is a card's id or null"),
  inAnswers("TXN-04", "status is a string of an open set"),
  inAnswers("TXN-05", "acceptor carries city, country, mcc and state"),
  inAnswers("TXN-10", "_embedded.messages is an array where it is there"),
];
