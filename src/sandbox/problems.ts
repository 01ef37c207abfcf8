import { reasonOf } from "../errors.ts";
import { Refusal } from "../world/refusal.ts";

/** A refusal with response headers. */
export class HeadedRefusal extends Refusal {
  readonly headers: Readonly<Record<string, string>>;

  constructor({ status, title, message }: Refusal, headers: HeadedRefusal["headers"]) {
    super(status, title, message);
    this.headers = headers;
  }
}

/** The parts of WWW-Authenticate. */
interface Challenge {
  /** The authentication scheme. Default: `Bearer`. */
  readonly scheme?: "Basic" | "Bearer";
  /** The error code of RFC 6750, 3.1. */
  readonly error?: "invalid_token" | "insufficient_scope";
}

/** ERR-01: the token is missing or invalid. */
export function unauthorized(detail: string, challenge: Challenge = {}): HeadedRefusal {
  return challenged(new Refusal(401, "Unauthorized", detail), challenge);
}

/** AUTH-11: the token has another scope. */
export function forbidden(detail: string): HeadedRefusal {
  return challenged(new Refusal(403, "Forbidden", detail), { error: "insufficient_scope" });
}

function challenged(refusal: Refusal, { scheme = "Bearer", error }: Challenge): HeadedRefusal {
  const challenge = `${scheme} realm="sandbox"${error ? `, error="${error}"` : ""}`;
  return new HeadedRefusal(refusal, { "www-authenticate": challenge });
}

/** The path does not allow the method. */
export function methodNotAllowed(method: string, allowed: readonly string[]): HeadedRefusal {
  const allow = allowed.join(", ");
  const detail = `this path allows ${allow}, not ${method}`;
  return new HeadedRefusal(new Refusal(405, "Method not allowed", detail), { allow });
}

/**
 * The response to an error, as a problem document (RFC 9457): a Refusal with its status and
 * headers, any other error as a 500 with its message.
 */
export function problemResponse(error: unknown): Response {
  const { status, title, message, remedy } =
    error instanceof Refusal ? error : new Refusal(500, "Internal server error", reasonOf(error));
  const headers = error instanceof HeadedRefusal ? error.headers : {};
  const problem = { type: "about:blank", title, status, detail: message, remedy };
  return new Response(JSON.stringify(problem), {
    status,
    headers: { ...headers, "content-type": "application/problem+json" },
  });
}
