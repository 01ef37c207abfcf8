import { EnrollmentError } from "./error.js";

/** SDK-03 */
const TOKEN_TIMEOUT_MS = 5000;

/** @type {Record<string, import("./error.js").EnrollmentErrorCode>} codes by problem title */
const CODES = { Declined: "declined", "Authentication failed": "sca-failed" };

/** An enrollment's requests to the sandbox. Renews the token when it expires. */
export class Session {
  #getAccessToken;
  /** @type {string | undefined} */
  #token;

  /** @param {() => Promise<string>} getAccessToken */
  constructor(getAccessToken) {
    this.#getAccessToken = getAccessToken;
  }

  /**
   * Sends a request. Rejects with an EnrollmentError.
   *
   * @param {"GET" | "POST"} method
   * @param {string} path relative to this file
   * @param {unknown} [body]
   * @returns {Promise<any>}
   */
  async ask(method, path, body) {
    // SDK-02: fetch a token at first launch and after expiry. A 401 signals expiry, because the
    // sandbox's clock may differ from the browser's.
    this.#token ??= await this.#newToken();
    let result = await this.#send(method, path, body);
    if (result.status === 401) {
      this.#token = await this.#newToken();
      result = await this.#send(method, path, body);
    }
    if (result.ok) return result.content;
    const { title, detail } = result.content;
    if (result.status === 401) throw new EnrollmentError("unauthorized", detail);
    throw new EnrollmentError(CODES[title] ?? "refused", detail);
  }

  /** @param {string} method @param {string} path @param {unknown} [body] */
  async #send(method, path, body) {
    const headers = { authorization: `Bearer ${this.#token}`, "content-type": "application/json" };
    try {
      const url = new URL(path, import.meta.url);
      const response = await fetch(url, { method, headers, body: JSON.stringify(body) ?? null });
      const { ok, status } = response;
      return { ok, status, content: await response.json() };
    } catch (cause) {
      throw new EnrollmentError("network", "the sandbox can't be reached", { cause });
    }
  }

  /** @returns {Promise<string>} */
  async #newToken() {
    const token = await inTime(this.#getAccessToken);
    if (typeof token === "string" && token !== "") return token;
    throw new EnrollmentError("token", "getAccessToken resolved to a value that is not a token");
  }
}

/**
 * SDK-03: calls getAccessToken with a timeout of 5 seconds.
 *
 * @param {() => Promise<string>} getAccessToken
 * @returns {Promise<string>}
 */
function inTime(getAccessToken) {
  return new Promise((resolve, reject) => {
    const message = `getAccessToken took longer than ${TOKEN_TIMEOUT_MS} ms`;
    const isLate = () => reject(new EnrollmentError("timeout", message));
    const timer = setTimeout(isLate, TOKEN_TIMEOUT_MS);
    const fail = (/** @type {unknown} */ cause) => {
      reject(new EnrollmentError("token", "getAccessToken rejected", { cause }));
    };
    Promise.resolve()
      .then(getAccessToken)
      .then(resolve, fail)
      .finally(() => clearTimeout(timer));
  });
}
