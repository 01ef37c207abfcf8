export { $decorators } from "./decorators.ts";
export { $onEmit } from "./emitter.ts";
export { $lib } from "./lib.ts";
export { $onValidate } from "./webhooks.ts";
