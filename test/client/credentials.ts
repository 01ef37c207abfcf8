/** The options that go for every client of a server. */
export function credentials(baseUrl: string) {
  return { baseUrl, accountId: "account-1", clientId: "client-1", clientSecret: "secret-1" };
}
