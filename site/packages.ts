import { installPackages } from "../scripts/install-packages.ts";

/** Installs the packages of `site/package.json`. */
export const setup = (): Promise<void> => installPackages(import.meta.dirname);

if (import.meta.main) await setup();
