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
    /** Whether an ignorer keeps it out of the code. */
    readonly status?: "Ignored" | undefined;
  }

  /** A node of Babel, with the parts that are used here. */
  interface BabelNode {
    readonly type: string;
    readonly name?: string;
    readonly callee?: BabelNode;
    readonly object?: BabelNode;
    readonly key?: BabelNode;
  }

  /** Ignores the mutants in some nodes. */
  interface Ignorer {
    /** @returns the reason, or undefined */
    shouldIgnore(path: {
      readonly node: BabelNode;
      readonly parentPath: { readonly parent: BabelNode } | null;
    }): string | undefined;
  }

  class Instrumenter {
    constructor(logger: object);
    instrument(
      files: readonly File[],
      options: {
        readonly plugins: null;
        readonly excludedMutations: readonly string[];
        readonly ignorers: readonly Ignorer[];
      },
    ): Promise<{ readonly files: readonly File[]; readonly mutants: readonly Mutant[] }>;
  }
}
