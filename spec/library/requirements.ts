import { NoTarget, type Program } from "@typespec/compiler";
import { parse } from "yaml";
import { reportDiagnostic } from "./lib.ts";

/**
 * Reads the ids of a catalogue of requirements, in order: the `id` of each entry of its list
 * `requirements`.
 *
 * @returns Undefined if the file is not such a catalogue, which is reported as a diagnostic.
 */
export async function readRequirementIds(
  program: Program,
  file: string,
): Promise<string[] | undefined> {
  try {
    const { text } = await program.host.readFile(file);
    const { requirements } = parse(text) ?? {};
    if (!Array.isArray(requirements)) throw new Error("needs a list of requirements");
    return requirements.flatMap((entry) => (typeof entry?.id === "string" ? [entry.id] : []));
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    const format = { file, reason };
    reportDiagnostic(program, { code: "requirements-unreadable", format, target: NoTarget });
    return undefined;
  }
}
