/** Prism refuses a bad request by `application/problem+json`, and answers 406 where it may not. */
export const ACCEPT = "application/json, application/problem+json";

/**
 * A request as it was sent and the answer as it came, but for secrets: in their place stand the
 * variables of `Vault`. Bodies are texts; a body that is JSON is parsed too.
 */
export interface Exchange {
  /** Its place among all that the run saw, from 1, by when it began. */
  readonly nr: number;
  readonly request: RecordedRequest;
  /** Left out where no answer came: `failure` says why. */
  readonly response?: RecordedResponse;
  readonly failure?: string;
  readonly durationMs: number;
}

export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface RecordedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What the body was, where only its beginning is kept: it was not JSON, or too much of it. */
  readonly cut?: string;
  /** The parsed body; undefined where it is not JSON. It is in no file: the body is. */
  readonly json?: unknown;
}

/** So much is kept of a body that nothing can be read of: enough to see what it is. */
const KEPT_CHARS = 10_000;

/** A body as a run keeps it. */
export function kept(body: string): Pick<RecordedResponse, "body" | "cut" | "json"> {
  const json = parseJson(body);
  if (json !== undefined) return { body, json };
  if (body.length <= KEPT_CHARS) return { body };
  const cut = `${whatIs(body)}, of ${body.length} characters`;
  return { body: body.slice(0, KEPT_CHARS), cut };
}

function whatIs(body: string): string {
  return isOutsize(body) ? "more JSON than any page has" : "not JSON";
}

/** What the answer was, in a few words. */
export function outcomeOf({ response, failure }: Exchange): string {
  if (!response) return `no response (${failure})`;
  const { status, headers, body, cut, json } = response;
  const kind = headers["content-type"]?.split(";")[0] ?? "no content type";
  if (json !== undefined || body === "") return `${status}`;
  return `${status} with ${kind} that is ${cut ?? whatIs(body)}`;
}

/**
 * The parsed body; undefined where it is not JSON, or so deep or so full that it would take the
 * stack or the memory of whoever walks it.
 */
export function parseJson(text: string): unknown {
  try {
    return isOutsize(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A hundred items of a page are a few levels deep, and of some hundred values each. */
const MOST_LEVELS = 100;
const MOST_VALUES = 100_000;

function isOutsize(text: string): boolean {
  let levels = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      do at = text.indexOf('"', at + 1);
      while (at > 0 && isEscaped(text, at));
      // It ends inside of a text: it is no JSON.
      if (at < 0) return false;
    } else if (char === "[" || char === "{") {
      levels += 1;
      values += 1;
      if (levels > MOST_LEVELS) return true;
    } else if (char === "]" || char === "}") levels -= 1;
    else if (char === ",") values += 1;
    if (values > MOST_VALUES) return true;
  }
  return false;
}

/** Whether an odd number of backslashes stands before. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === "\\") before -= 1;
  return (at - before) % 2 === 0;
}

/**
 * A curl line that sends the request again. Secrets appear as the names of shell variables.
 */
export function curlOf({ method, url, headers, body }: RecordedRequest): string {
  const words = ["curl -i", method === "GET" ? "" : `-X ${method}`, quote(url)];
  for (const [name, value] of Object.entries(headers))
    words.push(`-H ${quote(`${name}: ${value}`)}`);
  if (body !== undefined) words.push(`-d ${quote(body)}`);
  return words.filter(Boolean).join(" ");
}

/**
 * In double quotes, so that `$TXFEED_TOKEN` is filled in by the shell; all else that it would read
 * is masked.
 */
function quote(text: string): string {
  const masked = text.replace(/["\\`]|\$(?!TXFEED_[A-Z_]+)/g, "\\$&");
  return `"${masked}"`;
}
