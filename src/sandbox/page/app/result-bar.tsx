import type { Remedy } from "../../control/types.ts";
import type { FeedEvent } from "./api.ts";
import { counted } from "./format.tsx";
import { page, type Result } from "./model.ts";

const ENDINGS = { done: "", refused: " was refused", failed: " was not done" };

/** The live region with the result of the user's last command. */
export function ResultBar() {
  const { result } = page;
  return (
    <section class="outcome" aria-label="Outcome">
      <div id="outcome" role="status">
        {result && <Content key={result} result={result} />}
      </div>
      {result && (
        <button type="button" onClick={() => page.set({ result: undefined })}>
          Dismiss
        </button>
      )}
    </section>
  );
}

function Content({ result: { what, ending, content, remedy } }: { result: Result }) {
  return (
    <div class={ending === "done" ? "row" : "row bad"}>
      <p>
        <strong>{what}</strong>
        {ENDINGS[ending]}
      </p>
      {typeof content === "string" ? <p>{content}</p> : <Sent events={content} />}
      {remedy && <RemedyButton remedy={remedy} />}
    </div>
  );
}

function Sent({ events }: { events: readonly FeedEvent[] }) {
  const [first] = events;
  if (!first) return <p>It sent no events.</p>;
  const names = [...new Set(events.map(({ name }) => name))].join(", ");
  const show = () => {
    page.highlight(events);
    page.openEvent(first);
  };
  return (
    <div class="row">
      <p>
        It sent {counted(events.length, "event", "events")}
        <span class="names">: {names}</span>.
      </p>
      <button type="button" onClick={show}>
        Show
      </button>
    </div>
  );
}

/** A button that runs the verb that a refusal recommends. */
export function RemedyButton({ remedy: { verb, params } }: { remedy: Remedy }) {
  return (
    <button type="button" class="remedy" onClick={() => page.runVerb(verb, params)}>
      Run {verb}
    </button>
  );
}

interface CommandProps {
  readonly what: string;
  /** Default: what it does. */
  readonly label?: string;
  readonly work: () => Promise<string>;
}

/** A button that runs a command. */
export function Command({ what, label = what, work }: CommandProps) {
  return (
    <button type="button" aria-label={label} onClick={() => page.run(what, work)}>
      {label.startsWith(what) ? what : label}
    </button>
  );
}
