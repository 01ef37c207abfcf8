/** The parameters of the enrollment SDK's `openForm` (SDK-01). */
export interface OpenFormParameters {
  /** The company's name, shown to the cardholder. */
  readonly companyName: string;
  /** The subaccount that the cards are enrolled under. */
  readonly subaccountId: string;
  /**
   * Resolves to an access token of the SDK credentials, within 5 seconds (SDK-03). It is called at
   * first launch and whenever the token expires (SDK-02). Create it with `createGetAccessToken`.
   */
  readonly getAccessToken: () => Promise<string>;
  /** Called when the enrollment is complete; the interface does not specify the argument. */
  onSuccess(data: unknown): void;
  /** Called when the enrollment failed; the interface does not specify the argument. */
  onError(error: unknown): void;
  /** Called when the cardholder cancels. */
  onCancel(): void;
}
