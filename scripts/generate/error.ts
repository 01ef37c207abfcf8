/** The sources can't be turned into `generated/`: a line for each thing that is wrong with them. */
export class GenerateError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join("\n"));
    this.name = "GenerateError";
    this.lines = lines;
  }
}
