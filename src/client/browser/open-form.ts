/** What the enrollment SDK's `openForm` takes (SDK-01). */
export interface OpenFormParameters {
  /** The company's name, as the cardholder is to see it. */
  readonly companyName: string;
  /** The subaccount that the cards are enrolled under. */
  readonly subaccountId: string;
  /**
   * Resolves to an access token of the SDK credentials, within 5 seconds (SDK-03). It is called at
   * first launch and whenever the token expires (SDK-02): `createGetAccessToken` makes one.
   */
  readonly getAccessToken: () => Promise<string>;
  /** Called when the enrollment is through; the interface does not show what with. */
  onSuccess(data: unknown): void;
  /** Called when it failed; the interface does not show what with. */
  onError(error: unknown): void;
  /** Called when the cardholder gave up. */
  onCancel(): void;
}
