import * as z from "zod";
import { formats } from "../../contract/formats.ts";

// The values that verbs take, each with what an error says of it. Ids are checked by looking.

/** The id of a resource or an account. */
export const id = z.string().min(1).max(64);

/** An amount in major units; above 0. */
export const amount = z.number().positive().max(1e9);

/** The code of a currency, ISO 4217. */
export const currency = z.string().regex(/^[A-Z]{3}$/, "takes three capital letters");

/** CONV-03 */
export const date = z
  .string()
  .refine(formats.date, "takes a date YYYY-MM-DD that exists")
  .meta({ format: "date" });

/** CONV-02 */
export const timestamp = z
  .string()
  .refine(formats["date-time"], "takes a timestamp YYYY-MM-DDTHH:MM:SS.mmmZ that exists")
  .meta({ format: "date-time" });

/** A text for people. */
export const text = z.string().min(1).max(200);

/** The code of a network. Which ones there are is the sandbox's to tell. */
export const network = z.string().min(1).max(40);
