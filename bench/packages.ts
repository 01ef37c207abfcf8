import { installPackages } from "../scripts/install-packages.ts";

/** Installs the packages of `bench/package.json`. Vitest calls this before the tests. */
export const setup = (): Promise<void> => installPackages(import.meta.dirname);

if (import.meta.main) await setup();
