// Dredd sends a request for each response in the document. A mock can return two of them on request:
// the success, and 401 without a token.
const hooks = require("hooks");

hooks.beforeAll((transactions, done) => {
  const succeeded = new Set();
  for (const transaction of transactions) {
    const { request, expected, fullPath } = transaction;
    const key = `${request.method} ${fullPath}`;
    const isToken = fullPath.startsWith("/auth/");
    // Dredd treats the response "default" as another 200.
    const isSuccess = expected.statusCode === "200" && !succeeded.has(key);
    if (isSuccess) succeeded.add(key);
    if (isSuccess && isToken)
      request.body = "client_id=a&client_secret=b&grant_type=client_credentials";
    if (isSuccess && !isToken) request.headers.Authorization = "Bearer any";
    transaction.skip = !isSuccess && (expected.statusCode !== "401" || isToken);
  }
  done();
});
