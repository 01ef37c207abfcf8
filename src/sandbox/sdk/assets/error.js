/**
 * Why an enrollment failed; the interface does not show what onError gets, so this is our own.
 *
 * | code | meaning |
 * |---|---|
 * | `usage` | a parameter of openForm is missing or of another type |
 * | `timeout` | getAccessToken took longer than 5 seconds (SDK-03) |
 * | `token` | getAccessToken rejected, or resolved to something that is no token |
 * | `unauthorized` | the token, fresh as it is, is refused |
 * | `declined` | the card's issuer declines it |
 * | `sca-failed` | the cardholder did not pass the authentication |
 * | `refused` | anything else that the sandbox refuses, such as an unknown subaccount |
 * | `network` | the sandbox can't be reached |
 *
 * @typedef {"usage" | "timeout" | "token" | "unauthorized" | "declined" | "sca-failed" | "refused"
 *   | "network"} EnrollmentErrorCode
 */

/** What onError gets: match on `code`. It never holds a token. */
export class EnrollmentError extends Error {
  /**
   * @param {EnrollmentErrorCode} code
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.name = "EnrollmentError";
    this.code = code;
  }
}
