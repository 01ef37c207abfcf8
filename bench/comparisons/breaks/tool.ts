import type { ToolFolder } from "../../../scripts/tools/tool.ts";
import type { Doc } from "../../../test/breaks/corpus/index.ts";

/** One configuration of a tool. */
export interface Mode {
  /** How the documents are prepared, for the table. */
  readonly label: string;
  /**
   * Compares two documents.
   *
   * @returns Whether the tool reports a breaking change.
   * @throws {Error} The tool's message if it cannot compare the documents.
   */
  readonly isBreaking: (folder: ToolFolder, before: Doc, after: Doc) => Promise<boolean>;
}

/** A tool that compares two OpenAPI documents. */
export interface Tool {
  readonly name: string;
  readonly version: string;
  /** The npm packages of the tool with their versions. */
  readonly packages: Readonly<Record<string, string>>;
  readonly modes: readonly Mode[];
}
