import type { Library } from "./library.ts";

/** Loads each library by name. A library that cannot be loaded does not affect the others. */
export const libraries: Readonly<Record<string, () => Promise<Library>>> = {
  txfeed: async () => (await import("./txfeed.ts")).txfeed,
  "txfeed, schema only": async () => (await import("./txfeed.ts")).txfeedSchemaOnly,
  ajv: async () => (await import("./ajv.ts")).ajv,
  "@exodus/schemasafe": async () => (await import("./schemasafe.ts")).schemasafe,
  "zod 4": async () => (await import("./zod.ts")).zod,
  valibot: async () => (await import("./valibot.ts")).valibot,
  typebox: async () => (await import("./typebox.ts")).typebox,
  arktype: async () => (await import("./arktype.ts")).arktype,
  "ata-validator": async () => (await import("./ata.ts")).ata,
};
