export { $lib } from "./lib.ts";
export { $decorators } from "./decorators.ts";
export { $onEmit } from "./emitter.ts";
