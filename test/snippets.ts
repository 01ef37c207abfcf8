import { join } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import { ROOT } from "./document.ts";

/** Replaces imports of the package by imports of the sources, because a checkout is not built. */
export function withSources(code: string): string {
  return code.replaceAll(/"txfeed(\/[^"]+)"/g, (_match, subpath: string) => {
    const target = packageJson.exports[`.${subpath}` as "./contract"].default;
    return JSON.stringify(join(ROOT, target.replace("./dist/", "").replace(/\.js$/, ".ts")));
  });
}
