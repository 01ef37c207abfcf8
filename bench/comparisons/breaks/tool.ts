import type { ToolFolder } from "../../../scripts/tools/tool.ts";
import type { Doc } from "../../../test/breaks/corpus/index.ts";

/** One way to run a tool. */
export interface Mode {
  /** How the documents are prepared, in a few words for the table. */
  readonly label: string;
  /**
   * Compares two documents.
   *
   * @returns whether the tool calls the change breaking. Throws an Error with the tool's own words
   * if it cannot compare them.
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
