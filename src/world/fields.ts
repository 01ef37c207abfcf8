import * as z from "zod";
import { eventNames } from "../../generated/events.ts";
import { formats } from "../contract/formats.ts";
import type { Of } from "./schema.ts";
import { verbNames } from "./verbs/names.ts";

// The fields that several operations share.

/**
 * A text that fits a pattern or a check.
 *
 * @param takes describes the valid texts
 * @param keywords keywords of its JSON Schema
 */
export function textLike(
  fits: RegExp | ((text: string) => boolean),
  takes: string,
  keywords: Readonly<Record<string, string>> = {},
) {
  const problem = `takes ${takes}`;
  const text = z.string();
  const checked = fits instanceof RegExp ? text.regex(fits, problem) : text.refine(fits, problem);
  return checked.meta(keywords);
}

/** A text that is not empty. */
export const filledText = (maxLength?: number) => {
  const filled = z.string().min(1, "is empty");
  return maxLength === undefined ? filled : filled.max(maxLength);
};

export const Id = filledText(64).describe("The id of a resource or an account.");

export const Amount = z.number().gt(0).max(1_000_000_000).describe("An amount in major units.");

export const CurrencyCode = textLike(/^[A-Z]{3}$/, "three capital letters").describe(
  "The code of a currency, ISO 4217.",
);

export const CalendarDate = textLike(formats.date, "a date YYYY-MM-DD that exists", {
  format: "date",
});

const TIMESTAMP = "a timestamp YYYY-MM-DDTHH:MM:SS.mmmZ that exists";
const isTimestamp = formats["date-time"];

/** A valid date and time in UTC, with milliseconds. */
export const Timestamp = textLike(isTimestamp, TIMESTAMP, { format: "date-time" });

/** A time for the clock. */
export const ClockTime = textLike(
  (text) => isTimestamp(text) && text >= "1970" && text < "3000",
  `${TIMESTAMP}, from 1970 to 2999`,
  { format: "date-time" },
);

export const Text = filledText(200).describe("A human-readable text.");

export const NetworkCode = filledText(40).describe("The code of a card network of this sandbox.");

export const FourDigits = textLike(/^\d{4}$/, "four digits").describe("Four digits.");

export const WholeNumber = z.int().min(0).describe("An integer of at least 0.");

export const Count = z.int().min(1).describe("An integer of at least 1.");

/** The maximum number of items in a response. */
export const Limit = z.int().min(1).max(1_000_000);

/** An object with any members. */
export const AnyObject = z.looseObject({});

export const EventName = z.enum(eventNames).describe("The name of an event of the interface.");
export type EventName = Of<typeof EventName>;

export const VerbName = z.enum(verbNames).describe("The name of a verb.");
export type VerbName = Of<typeof VerbName>;

export const OfAccount = z.strictObject({
  accountId: Id.describe(
    "The account for resources without an id. Default: the first account.",
  ).optional(),
});
export type OfAccount = Of<typeof OfAccount>;

/** The parameters of a verb: the account, and its own. */
export function verbParams<Fields extends z.ZodRawShape>(fields: Fields) {
  return z.strictObject({ ...OfAccount.shape, ...fields });
}
