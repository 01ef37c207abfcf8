/** The part of the package that is used here. Its own types need those of all of Stryker. */
declare module "@stryker-mutator/instrumenter" {
  interface File {
    readonly name: string;
    readonly content: string;
    readonly mutate: boolean;
  }

  /** Line and column from 0. */
  interface Position {
    readonly line: number;
    readonly column: number;
  }

  interface Mutant {
    readonly id: string;
    readonly fileName: string;
    readonly location: { readonly start: Position; readonly end: Position };
    readonly mutatorName: string;
    readonly replacement: string;
  }

  class Instrumenter {
    constructor(logger: object);
    instrument(
      files: readonly File[],
      options: {
        readonly plugins: null;
        readonly excludedMutations: readonly string[];
        readonly ignorers: readonly never[];
      },
    ): Promise<{ readonly files: readonly File[]; readonly mutants: readonly Mutant[] }>;
  }
}
