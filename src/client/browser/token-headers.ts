// The headers of the token route. The interface leaves the route to the integrator.

/** Response: for how many whole seconds the token is still valid. Clocks may differ. */
export const EXPIRES_IN = "x-token-expires-in";

/** Response: names the token. It does not reveal the token. */
export const TOKEN_ID = "x-token-id";

/** Request: the `x-token-id` of a token that the service did not accept. */
export const REFUSED_TOKEN = "x-refused-token";
