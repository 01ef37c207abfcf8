// The headers of the token route. The interface leaves the route to the integrator.

/** Response: the remaining lifetime in whole seconds, because clocks may differ. */
export const EXPIRES_IN = "x-token-expires-in";

/** Response: an id of the token, which does not reveal the token. */
export const TOKEN_ID = "x-token-id";

/** Request: the `x-token-id` of a token that the service refused. */
export const REFUSED_TOKEN = "x-refused-token";
