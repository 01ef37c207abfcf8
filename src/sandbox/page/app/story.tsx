import { useLayoutEffect, useRef } from "preact/hooks";
import type { Step } from "../../../world/script.ts";
import { type FeedEvent, failureOf } from "./api.ts";
import { counted } from "./format.tsx";
import { page } from "./model.ts";
import { player } from "./player.ts";
import { RemedyButton } from "./result-bar.tsx";
import { STORIES } from "./stories.ts";

const UNKNOWN =
  "The page was reloaded during a request of this step, which is not sent again. The timeline " +
  "shows what it did. If a later step needs its result, start again.";

/** The panel that plays a story. */
export function StoryPanel() {
  const { progress, story, isBusy } = player;
  const { chosen, done, unknown } = progress;
  const summary = unknown.includes(done.length - 1) ? "" : ` It sent ${sent(done.at(-1))}.`;
  const next = useRef<HTMLButtonElement>(null);
  const steps = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => {
    const current =
      steps.current?.querySelector("[aria-current]") ?? steps.current?.lastElementChild;
    current?.scrollIntoView({ block: "nearest" });
  }, [progress]);
  const startAgain = () => {
    player.restart();
    next.current?.focus();
  };
  return (
    <section id="story" class="panel" aria-labelledby="story-title">
      <div class="bar row">
        <h2 id="story-title">
          <label for="story-select">Story</label>
        </h2>
        <select
          id="story-select"
          value={chosen}
          onChange={({ currentTarget }) => player.restart(currentTarget.selectedIndex)}
        >
          {STORIES.map(({ title }, at) => (
            <option key={title} value={at}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <div class="content">
        <p id="story-about" class="meta">
          {story.about}
        </p>
        <ol id="steps" class="stack" ref={steps}>
          {story.steps.map((step, at) => (
            <StepItem key={step.sentence} step={step} at={at} />
          ))}
        </ol>
      </div>
      <div class="foot stack">
        <p id="story-status" class="meta" role="status">
          {done.length > 0 && `Step ${done.length} of ${story.steps.length} is done.${summary}`}
        </p>
        <div class="row">
          <button
            ref={next}
            type="button"
            id="story-next"
            class="primary"
            aria-disabled={isBusy}
            onClick={() => player.next()}
          >
            {story.steps[done.length]?.button ?? "Next story"}
          </button>
          {done.length > 0 && (
            <button type="button" id="story-again" onClick={startAgain}>
              Start again
            </button>
          )}
        </div>
      </div>
    </section>
  );
}

function StepItem({ step, at }: { step: Step; at: number }) {
  const { done, unknown } = player.progress;
  const events = done[at];
  const isCurrent = at === done.length;
  const isUnknown = unknown.includes(at);
  return (
    <li
      aria-current={isCurrent ? "step" : undefined}
      class={`stack ${events || isCurrent ? "" : "meta"}`}
    >
      <p>
        {events && <span class="good">Done. </span>}
        {step.sentence}
      </p>
      {isUnknown && <p class="waiting">{UNKNOWN}</p>}
      {events && !isUnknown && <Events events={events} isLatest={at === done.length - 1} />}
      {isCurrent && player.error !== undefined && <Problem error={player.error} />}
    </li>
  );
}

/** The events of a step. Earlier steps are short, so that the whole story fits on a screen. */
function Events({ events, isLatest }: { events: readonly FeedEvent[]; isLatest: boolean }) {
  if (events.length === 0) return <p class="meta">It sent no events.</p>;
  return (
    <ul class="chips row" aria-label="Events of this step">
      {(isLatest ? events : events.slice(0, 1)).map((event) => (
        <li key={event.seq}>
          <button type="button" class="chip" onClick={() => page.openEvent(event)}>
            {isLatest || events.length === 1 ? event.name : sent(events)}
          </button>
        </li>
      ))}
    </ul>
  );
}

function sent(events: readonly FeedEvent[] = []): string {
  return counted(events.length, "event", "events");
}

function Problem({ error }: { error: unknown }) {
  const { text, remedy } = failureOf(error);
  return (
    <div class="bad" role="alert">
      {text}.{remedy && <RemedyButton remedy={remedy} />}
    </div>
  );
}
