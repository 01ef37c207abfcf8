import { EnrollmentError, type EnrollmentErrorCode } from "./error.ts";

/** SDK-03 */
const TOKEN_TIMEOUT_MS = 5000;

/** The codes of refusals, by the title of the problem. */
const CODES: Readonly<Record<string, EnrollmentErrorCode>> = {
  Declined: "declined",
  "Authentication failed": "sca-failed",
};

/** An enrollment's requests to the sandbox. Renews the token when it expires. */
export class Session {
  #getAccessToken: () => Promise<string>;
  #token: string | undefined;

  constructor(getAccessToken: () => Promise<string>) {
    this.#getAccessToken = getAccessToken;
  }

  /**
   * Sends a GET, or with a body a POST.
   *
   * @param path relative to the script
   * @throws {EnrollmentError} if the sandbox refuses it or can't be reached
   */
  async ask<Response>(path: string, body?: object): Promise<Response> {
    // SDK-02: fetch a token at first launch and after expiry. A 401 signals expiry, because the
    // sandbox's clock may differ from the browser's.
    this.#token ??= await this.#newToken();
    let result = await this.#send(path, body);
    if (result.status === 401) {
      this.#token = await this.#newToken();
      result = await this.#send(path, body);
    }
    if (result.ok) return result.content;
    const { title, detail } = result.content;
    if (result.status === 401) throw new EnrollmentError("unauthorized", detail);
    throw new EnrollmentError(CODES[title] ?? "refused", detail);
  }

  async #send(path: string, body?: object) {
    const headers = { authorization: `Bearer ${this.#token}`, "content-type": "application/json" };
    const post = body && { method: "POST", body: JSON.stringify(body) };
    try {
      const response = await fetch(new URL(path, import.meta.url), { headers, ...post });
      const { ok, status } = response;
      return { ok, status, content: await response.json() };
    } catch (cause) {
      throw new EnrollmentError("network", "the sandbox can't be reached", { cause });
    }
  }

  /** SDK-03: calls getAccessToken with a timeout of 5 seconds. */
  async #newToken(): Promise<string> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      const message = `getAccessToken took longer than ${TOKEN_TIMEOUT_MS} ms`;
      timer = setTimeout(() => reject(new EnrollmentError("timeout", message)), TOKEN_TIMEOUT_MS);
    });
    const given = Promise.resolve()
      .then(this.#getAccessToken)
      .catch((cause) => {
        throw new EnrollmentError("token", "getAccessToken rejected", { cause });
      });
    const token = await Promise.race([given, late]).finally(() => clearTimeout(timer));
    if (typeof token === "string" && token !== "") return token;
    throw new EnrollmentError("token", "getAccessToken resolved to a value that is not a token");
  }
}
