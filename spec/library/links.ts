import type { ModelProperty, Program } from "@typespec/compiler";
import type { Document } from "./document.ts";
import { $lib, reportDiagnostic } from "./lib.ts";

/** Reports each `@leadsTo` whose path no GET operation of the document has, at its property. */
export function refuseLostLinks(program: Program, { paths }: Document): void {
  for (const [type, path] of program.stateMap($lib.stateKeys.leadsTo)) {
    const property = type as ModelProperty;
    // One that another model spreads is reported where it is written.
    if (property.sourceProperty || paths[path]?.["get"]) continue;
    reportDiagnostic(program, { code: "leads-nowhere", format: { path }, target: property });
  }
}
