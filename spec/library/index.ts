export { $decorators, $onValidate } from "./decorators.ts";
export { $onEmit } from "./emitter.ts";
export { $lib } from "./lib.ts";
