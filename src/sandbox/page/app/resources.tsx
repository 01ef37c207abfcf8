import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Actions, callsFor } from "./actions.tsx";
import { control, type Shown } from "./api.ts";
import { Facts } from "./format.tsx";
import { useLoaded } from "./hooks.ts";
import { headOf, type TabKind, VIEWS } from "./kinds.tsx";
import { page } from "./model.ts";
import { type Opened, Row } from "./rows.tsx";

/** The number of resources shown at first, and added by “Show more”. */
const STEP = 20;

const TABS = Object.keys(VIEWS) as readonly TabKind[];

/** The panel of the resources: a tab for each kind, and the latest ones of the chosen kind. */
export function Resources() {
  const [chosen, choose] = useState<TabKind>("transactions");
  return (
    <section id="resources" class="panel" aria-labelledby="resources-title">
      <div class="bar row">
        <h2 id="resources-title">Resources</h2>
        <fieldset id="kinds" class="row" aria-label="Kinds of resources">
          {TABS.map((kind) => (
            <button
              key={kind}
              type="button"
              class="tab"
              aria-pressed={kind === chosen}
              onClick={() => choose(kind)}
            >
              {VIEWS[kind].title}{" "}
              <span class="count">{page.view.status.counts[kind].toLocaleString("en")}</span>
            </button>
          ))}
        </fieldset>
      </div>
      <Tab key={chosen} kind={chosen} />
    </section>
  );
}

function Tab<K extends TabKind>({ kind }: { kind: K }) {
  const { title, creators, empty, timeOf = () => "" } = VIEWS[kind];
  const [limit, setLimit] = useState(STEP);
  const [opened, open] = useState<Opened>();
  const { value } = useLoaded(() => control.resources(kind, { limit }), [page.view, limit]);
  const items = value?.toSorted((one, other) => timeOf(other).localeCompare(timeOf(one))) ?? [];
  const verbs = page.view.verbs.filter(({ name }) => creators.includes(name));
  return (
    <>
      <div id="resource-list" class="content">
        <ol class="rows" aria-label={title}>
          {items.map((shown) => (
            <Row
              key={shown.id}
              id={shown.id}
              head={headOf(kind, shown)}
              opened={opened}
              open={open}
              detail={() => <Detail kind={kind} shown={shown} />}
            />
          ))}
        </ol>
        {items.length >= limit && (
          <button type="button" class="more" onClick={() => setLimit(limit + STEP)}>
            Show more
          </button>
        )}
        {value?.length === 0 && <p class="empty">{empty}</p>}
      </div>
      <div id="creators" class="foot">
        <Actions
          calls={verbs.map((verb) => ({ verb, params: {} }))}
          label={`Actions on ${title.toLowerCase()}`}
        />
      </div>
    </>
  );
}

/** The content of an open row: facts, actions, and the state diagram. */
function Detail<K extends TabKind>({ kind, shown }: { kind: K; shown: Shown<K> }) {
  const { diagram = kind, ids, more, params, stateOf, terms } = VIEWS[kind];
  const { name } = headOf(kind, shown);
  return (
    <div class="detail stack">
      <Facts ids={ids(shown)} terms={terms?.(shown) ?? {}} />
      {more?.(shown)}
      <Actions calls={callsFor(params(shown), shown.accountId)} label={`Actions on ${name}`} />
      <button type="button" onClick={() => page.showEventsOf(shown.id, name)}>
        Show its events
      </button>
      <Diagram svg={page.view.contract.diagrams[diagram]} state={stateOf(shown)} />
    </div>
  );
}

/** A state diagram of the contract, with the current state marked. */
function Diagram({ svg = "", state }: { svg: string | undefined; state: string }) {
  const figure = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const marked = svg
      .replace("</title>", `. The current state is ${state}.</title>`)
      .replace(`"state" data-state="${state}"`, `"state current" data-state="${state}"`);
    const parsed = new DOMParser().parseFromString(marked, "image/svg+xml");
    figure.current?.replaceChildren(document.importNode(parsed.documentElement, true));
  }, [svg, state]);
  return (
    <figure class="diagram">
      <div ref={figure} />
      <figcaption>
        Current state: <strong>{state}</strong>
      </figcaption>
    </figure>
  );
}
