import { fileURLToPath } from "node:url";
import { installPackages } from "../scripts/install-packages.ts";

/** Installs the packages of `site/package.json`. */
export const setup = (): Promise<void> =>
  installPackages(fileURLToPath(new URL(".", import.meta.url)));

if (import.meta.main) await setup();
