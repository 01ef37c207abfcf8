import { once } from "node:events";

/** Resolves when the program is to end: by Ctrl-C, or because what started it ends. */
export async function interrupted(): Promise<void> {
  await Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal)));
}
