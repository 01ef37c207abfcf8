import type { ToolFolder } from "../../../scripts/tools/tool.ts";
import type { Target } from "./target-server.ts";

/** Another tool that tests a server by its OpenAPI document. */
export interface Tool {
  readonly name: string;
  /** How the tool is configured, in one line. */
  readonly configuration: string;
  /** The npm packages of the tool with their versions; empty if the checkout has them. */
  readonly packages: Readonly<Record<string, string>>;
  /**
   * Tests a server.
   *
   * @param folder The folder with the tool's packages. Runs in it do not overlap.
   * @returns The findings, one line each, without anything that differs from run to run.
   * @throws {Error} The tool did not run.
   */
  run(target: Target, folder: ToolFolder): Promise<string[]>;
}

/** Removes ids, ports and durations from a line, because they differ from run to run. */
export function normalizeLine(line: string): string {
  return line
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "{id}")
    .replace(/127\.0\.0\.1:\d+/g, "{host}")
    .replace(/\d+(\.\d+)? ?ms/g, "{time}")
    .trim();
}
