import { fileURLToPath } from "node:url";
import { installPackages } from "../scripts/install-packages.ts";

/** Installs the packages of `bench/package.json`. Vitest calls this before the tests. */
export const setup = (): Promise<void> =>
  installPackages(fileURLToPath(new URL(".", import.meta.url)));

if (import.meta.main) await setup();
