import { existsSync, readFileSync } from "node:fs";

/** Seen from src/cli in a checkout, and from dist/src/cli in the package. */
const MANIFESTS = ["../../package.json", "../../../package.json"];

/** The version of the package that this program is part of. */
export function packageVersion(): string {
  const files = MANIFESTS.map((path) => new URL(path, import.meta.url));
  const file = files.find((url) => existsSync(url));
  return file ? JSON.parse(readFileSync(file, "utf8")).version : "unknown";
}
