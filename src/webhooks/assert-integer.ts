export { assertDuration, assertInteger } from "../options.ts";
