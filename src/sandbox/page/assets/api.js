/** What the sandbox does not carry out, in its own words. */
export class Refused extends Error {}

/**
 * Asks the control API.
 *
 * @param {string} path below `/_sandbox/`
 * @returns {Promise<any>}
 */
export function get(path) {
  return call("GET", path);
}

/**
 * Has the control API do something. Rejects with a Refused where it does not.
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
    // What the browser says of it is the same whatever has happened.
    throw new Error("the sandbox can't be reached; start it again", { cause });
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  const answer = isJson && text !== "" ? JSON.parse(text) : undefined;
  if (response.ok) return answer;
  throw new Refused(answer?.detail ?? answer?.title ?? `the sandbox answered ${response.status}`);
}
