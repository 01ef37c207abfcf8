import { reasonOf } from "../errors.ts";
import { Refusal } from "./refusal.ts";

/**
 * What an error is answered with, as a problem document (RFC 9457): a Refusal as it is, and
<<<<<<< HEAD
 * anything else as a 500 that says what it is.
=======
 * anything else, such as a full disk, as a 500 that says what it is.
>>>>>>> wt-control
 */
export function problemOf(error: unknown): Response {
  const { status, title, message } =
    error instanceof Refusal
      ? error
      : { status: 500, title: "Internal server error", message: reasonOf(error) };
  return new Response(JSON.stringify({ type: "about:blank", title, status, detail: message }), {
    status,
    headers: { "content-type": "application/problem+json" },
  });
}
