// The headers of the token route. They are our own: the interface leaves the route to the integrator.

/** Response: for how many whole seconds the token is still good. Clocks may differ, durations not. */
export const EXPIRES_IN = "x-token-expires-in";

/** Response: a name for the token, from which the token can't be found out. */
export const TOKEN_ID = "x-token-id";

/** Request: the `x-token-id` of a token that the service did not accept. */
export const REFUSED_TOKEN = "x-refused-token";
