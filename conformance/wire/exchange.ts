/** Prism refuses a bad request by `application/problem+json`, and answers 406 where it may not. */
export const ACCEPT = "application/json, application/problem+json";

/**
 * A request as it was sent and the answer as it came, but for secrets: in their place stand the
 * variables of `Vault`. Bodies are texts; a body that is JSON is parsed too.
 */
export interface Exchange {
  /** Its place among all that the run recorded, from 1. */
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
  /** The parsed body; undefined where it is not JSON. It is in no file: the body is. */
  readonly json?: unknown;
}

/** What the answer was, in a few words. */
export function outcomeOf({ response, failure }: Exchange): string {
  if (!response) return `no answer (${failure})`;
  const kind = response.headers["content-type"]?.split(";")[0] ?? "no content type";
  return response.json === undefined && response.body !== ""
    ? `${response.status} with ${kind} that is not JSON`
    : `${response.status}`;
}

/** The parsed body; undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
