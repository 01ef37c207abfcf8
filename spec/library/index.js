// The package has the library built; a checkout has its sources, which need no build.
import { existsSync } from "node:fs";

const isCheckout = existsSync(new URL("index.ts", import.meta.url));
const library = await import(isCheckout ? "./index.ts" : "./dist/index.js");

export const { $decorators, $lib, $onEmit, $onValidate } = library;
