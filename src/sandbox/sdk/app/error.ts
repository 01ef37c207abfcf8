/**
 * Error codes of a failed enrollment. The interface does not specify onError's argument.
 *
 * | code | meaning |
 * |---|---|
 * | `usage` | a parameter of openForm is missing or has the wrong type |
 * | `timeout` | getAccessToken took longer than 5 seconds (SDK-03) |
 * | `token` | getAccessToken rejected or did not resolve to a token |
 * | `unauthorized` | a new token is rejected |
 * | `declined` | the card's issuer declines it |
 * | `sca-failed` | the cardholder did not pass the authentication |
 * | `refused` | any other refusal by the sandbox, such as an unknown subaccount |
 * | `network` | the sandbox is unreachable |
 */
export type EnrollmentErrorCode =
  | "usage"
  | "timeout"
  | "token"
  | "unauthorized"
  | "declined"
  | "sca-failed"
  | "refused"
  | "network";

/** The error passed to onError. Match on `code`. It never contains a token. */
export class EnrollmentError extends Error {
  readonly code: EnrollmentErrorCode;

  constructor(code: EnrollmentErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EnrollmentError";
    this.code = code;
  }
}
