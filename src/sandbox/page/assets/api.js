/** @typedef {import("../../../world/refusal.ts").Remedy} Remedy */

/** A request that the sandbox refused; the message is the problem's detail. */
export class Refused extends Error {
  /** @type {Remedy | undefined} */
  remedy;

  /** @param {string} message @param {Remedy} [remedy] */
  constructor(message, remedy) {
    super(message);
    this.remedy = remedy;
  }
}

/**
 * Sends a GET to the control API.
 *
 * @param {string} path below `/_sandbox/`
 * @returns {Promise<any>}
 */
export function get(path) {
  return call("GET", path);
}

/**
 * Sends a command to the control API. Rejects with a Refused if the sandbox refuses it.
 *
 * @param {"POST" | "PUT" | "DELETE"} method
 * @param {string} path below `/_sandbox/`
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export function send(method, path, body = {}) {
  return call(method, path, body);
}

/** @param {string} method @param {string} path @param {unknown} [body] */
async function call(method, path, body) {
  const response = await fetch(new URL(`../${path}`, import.meta.url), {
    method,
    ...(body === undefined
      ? {}
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  }).catch((cause) => {
    // Browsers report every network error with the same message.
    throw new Error("the sandbox can't be reached; start it again", { cause });
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  const result = isJson && text !== "" ? JSON.parse(text) : undefined;
  if (response.ok) return result;
  const unknown = `the sandbox responded with status ${response.status}`;
  throw new Refused(result?.detail ?? result?.title ?? unknown, result?.remedy);
}
