import type { Contestant } from "./contestant.ts";

/** Each contestant's way in. One whose package is missing fails alone. */
export const contestants: Readonly<Record<string, () => Promise<Contestant>>> = {
  txfeed: async () => (await import("./ours.ts")).ours,
  "txfeed, shape alone": async () => (await import("./ours.ts")).shape,
  ajv: async () => (await import("./ajv.ts")).ajv,
  "@exodus/schemasafe": async () => (await import("./schemasafe.ts")).schemasafe,
  "zod 4": async () => (await import("./zod.ts")).zod,
  valibot: async () => (await import("./valibot.ts")).valibot,
  typebox: async () => (await import("./typebox.ts")).typebox,
  arktype: async () => (await import("./arktype.ts")).arktype,
  "ata-validator": async () => (await import("./ata.ts")).ata,
};
