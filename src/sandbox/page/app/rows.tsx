import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Badge, Meta } from "./format.tsx";

/** What the button of a row shows. Empty facts and badges are left out. */
export interface Head {
  readonly name: string;
  readonly amount?: string;
  readonly facts?: readonly ComponentChildren[];
  readonly badges?: readonly (string | false | null)[];
  /** Whether it belongs to the last command. */
  readonly isFresh?: boolean;
}

/** The open row of a list. A new object scrolls to it. */
export type Opened = { readonly key: string } | undefined;

interface RowProps {
  readonly id: string;
  readonly head: Head;
  readonly opened: Opened;
  readonly open: (opened: Opened) => void;
  readonly detail: () => ComponentChildren;
}

/** A row of a list, which opens below its button. */
export function Row({ id, head, opened, open, detail }: RowProps) {
  const row = useRef<HTMLLIElement>(null);
  const own = opened?.key === id ? opened : undefined;
  useLayoutEffect(() => {
    if (own) row.current?.scrollIntoView({ block: "nearest" });
  }, [own]);
  const { name, amount, badges, facts = [], isFresh } = head;
  const Name = badges?.includes("deleted") ? "del" : "strong";
  return (
    <li ref={row} data-key={id}>
      <button
        type="button"
        class="head"
        aria-expanded={own !== undefined}
        onClick={() => open(own ? undefined : { key: id })}
      >
        <span class="line">
          <Name class="name">{name}</Name>
          {isFresh && <span class="badge fresh">new</span>}
          {amount && <span class="amount">{amount}</span>}
        </span>
        <span class="line">
          <Meta facts={facts} />
          {badges && (
            <span class="badges">
              {badges.map((badge) => badge && <Badge key={badge} state={badge} />)}
            </span>
          )}
        </span>
      </button>
      {own && detail()}
    </li>
  );
}
