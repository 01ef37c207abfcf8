/** The required client options for a test server. */
export function credentials(baseUrl: string) {
  return { baseUrl, accountId: "account-1", clientId: "client-1", clientSecret: "secret-1" };
}
