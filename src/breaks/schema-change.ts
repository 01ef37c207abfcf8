import type { NormalSchema } from "./schema-form.ts";

/** One step from a value to a part of it, or to a variant of its union. */
export type Step =
  | { readonly kind: "member"; readonly name: string }
  | { readonly kind: "item" }
  | { readonly kind: "variant"; readonly tag: string | undefined; readonly value: unknown };

export type SchemaChangeKind =
  | "type-changed"
  | "values-changed"
  | "pattern-changed"
  | "format-changed"
  | "bounds-changed"
  | "constraint-changed"
  | "open-values-changed"
  | "link-target-changed"
  | "property-added"
  | "property-removed"
  | "property-required"
  | "property-optional"
  | "object-closed"
  | "object-opened"
  | "default-changed"
  | "index-added"
  | "index-removed"
  | "variant-added"
  | "variant-removed";

/** A difference between two schemas of a message. */
export interface SchemaChange {
  readonly kind: SchemaChangeKind;
  /** A JSON pointer into the new document; into the old one for something removed. */
  readonly pointer: string;
  /** From the message to the value that differs, or to the object of the property. */
  readonly path: readonly Step[];
  /** The property that is added, removed, required or optional. */
  readonly property?: string;
  readonly old: NormalSchema | undefined;
  readonly new: NormalSchema | undefined;
  /** Describes the difference. */
  readonly text: string;
}

/** A witness uses this name for a property that is not in the contract. */
export const UNNAMED_PROPERTY = "unnamedProperty";
