import type { Check } from "../check.ts";
import { shape } from "../shape.ts";

export const messages: readonly Check[] = [
  shape("MSG-01", "a message carries the fields of the message table"),
  shape("MSG-05", "traceId is a string of digits"),
  shape("MSG-06", "approvalCode is a string, null or absent"),
  shape("MSG-07", "dateTime is a local date-time without zone"),
  shape("MSG-10", "messageType, result and provider are strings of open sets"),
];
