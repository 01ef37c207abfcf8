import { aboutEvent, namesIn } from "./about-event.ts";
import type { FeedEvent } from "./api.ts";
import { EventDetail } from "./event-detail.tsx";
import { Moment } from "./format.tsx";
import { type Filter, page } from "./model.ts";
import { otherAccount } from "./names.ts";
import { type Head, Row } from "./rows.tsx";

/** The panel of the events, the newest first. */
export function Timeline() {
  const { filter, opened, view } = page;
  const shown = page.shownEvents();
  const names = namesIn(view.events);
  const kinds = [...new Set(Object.values(view.contract.events).map(({ kind }) => kind))];
  const filters: readonly Filter[] = [
    { by: "all" },
    ...kinds.map((kind) => ({ by: "kind", kind }) as const),
    ...(filter.by === "resource" ? [filter] : []),
  ];
  return (
    <section id="timeline" class="panel" aria-labelledby="timeline-title">
      <div class="bar row">
        <h2 id="timeline-title">Events</h2>
        <select
          aria-label="Show the events of"
          value={titleOf(filter)}
          onChange={({ currentTarget }) => {
            const chosen = filters[currentTarget.selectedIndex];
            if (chosen) page.set({ filter: chosen });
          }}
        >
          {filters.map(titleOf).map((title) => (
            <option key={title}>{title}</option>
          ))}
        </select>
      </div>
      <div class="content">
        <ol class="rows" aria-label="Events">
          {shown.map((event) => (
            <Row
              key={event.seq}
              id={String(event.seq)}
              head={headOf(event, names)}
              opened={opened}
              open={(row) => page.set({ opened: row })}
              detail={() => <EventDetail event={event} />}
            />
          ))}
        </ol>
        {shown.length === 0 && (
          <p class="empty">
            {view.events.length === 0
              ? "Events appear here. Run the first step of a story, or any action."
              : "No event among the latest 200 is about this. Choose all resources above."}
          </p>
        )}
      </div>
    </section>
  );
}

function titleOf(filter: Filter): string {
  if (filter.by === "all") return "All resources";
  if (filter.by === "resource") return `Only ${filter.name}`;
  const words = (filter.kind ?? "enrichment").replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function headOf(event: FeedEvent, names: ReadonlyMap<string, string>): Head {
  const { facts = [], amount } = aboutEvent(event, names);
  const time = <Moment key="time" at={event.at} />;
  return {
    name: event.name,
    ...(amount && { amount }),
    isFresh: page.fresh.has(event.seq),
    facts: [time, ...facts, otherAccount(event.accountId)],
  };
}
