/**
 * The header of the token route that says for how many whole seconds its token is still good. It is
 * our own: the interface leaves the route to the integrator. A duration and no point in time, as
 * the browser's clock may be off.
 */
export const EXPIRES_IN = "x-token-expires-in";
