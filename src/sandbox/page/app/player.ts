import { type CallResult, type ReadyCall, readyCalls, type Script } from "../../../world/script.ts";
import { control, type FeedEvent, failureOf } from "./api.ts";
import { page } from "./model.ts";
import { STORIES } from "./stories.ts";

/** What has been played of a story. It is kept, so that a reload of the page continues there. */
interface Progress {
  /** The place of the story. */
  readonly chosen: number;
  /** The events of each step that is done. */
  readonly done: readonly (readonly FeedEvent[])[];
  /** The number of calls of the current step that are done, and their events. */
  readonly calls: number;
  readonly events: readonly FeedEvent[];
  /** Whether the next call is sent, and its response is not known. */
  readonly isSent: boolean;
  /** The places of steps with a call whose response was lost by a reload. */
  readonly unknown: readonly number[];
  /** What the named calls of the story gave, by name. */
  readonly results: Readonly<Record<string, CallResult>>;
}

const START: Progress = {
  ...{ chosen: 0, done: [], calls: 0, events: [] },
  ...{ isSent: false, unknown: [], results: {} },
};
const KEY = "txfeed-sandbox-story";

/** Plays the chosen story, one step at a time. */
class Player {
  progress = kept();
  isBusy = false;
  /** Why the current step could not be finished. */
  error: unknown;

  constructor() {
    const { done, events } = this.progress;
    page.note([...done.flat(), ...events]);
    page.set({ fresh: new Set(done.at(-1)?.map(({ seq }) => seq)) });
    page.onReplaced = () => this.restart();
  }

  get story(): Script {
    return storyOf(this.progress);
  }

  /** Goes to the first step of a story. */
  restart(chosen = this.progress.chosen): void {
    this.isBusy = false;
    this.error = undefined;
    this.#keep({ ...START, chosen });
  }

  /** Plays the next step, or goes to the next story. A step that was refused continues. */
  async next(): Promise<void> {
    if (this.isBusy) return;
    let own = this.progress;
    const step = this.story.steps[own.done.length];
    if (!step) return this.restart((own.chosen + 1) % STORIES.length);
    this.isBusy = true;
    this.error = undefined;
    page.set({});
    try {
      const results = new Map(Object.entries(own.results));
      const { networks } = page.view.status;
      const calls = readyCalls(step.calls.slice(own.calls), results, networks);
      let turn = calls.next();
      while (!turn.done) {
        own = this.#keep({ ...own, isSent: true });
        const result = await carryOut(turn.value);
        // The story was restarted meanwhile.
        if (this.progress !== own) return;
        page.note(result.events);
        try {
          turn = calls.next(result);
        } finally {
          const known = { ...own, results: Object.fromEntries(results) };
          own = this.#keep(afterCall(known, result.events));
        }
      }
      page.highlight(own.done.at(-1) ?? []);
    } catch (error) {
      if (this.progress !== own) return;
      this.error = error;
      own = this.#keep({ ...own, isSent: own.isSent && !failureOf(error).isRefused });
    } finally {
      if (this.progress === own) this.isBusy = false;
      page.set({});
    }
  }

  #keep(progress: Progress): Progress {
    this.progress = progress;
    try {
      sessionStorage.setItem(KEY, JSON.stringify(progress));
    } catch {
      // The browser forbids it, or it is full: the story can be played without it.
    }
    page.set({});
    return progress;
  }
}

function storyOf({ chosen }: Progress): Script {
  const story = STORIES[chosen];
  if (!story) throw new Error(`there is no story ${chosen}`);
  return story;
}

/** The progress after a call. The last call of a step ends it. */
function afterCall(before: Progress, events: readonly FeedEvent[]): Progress {
  const own = { ...before, isSent: false, calls: before.calls + 1 };
  const all = [...before.events, ...events];
  const step = storyOf(own).steps[own.done.length];
  if (own.calls < (step?.calls.length ?? 0)) return { ...own, events: all };
  return { ...own, calls: 0, events: [], done: [...own.done, all] };
}

/** The progress before the page was reloaded. A call without a response is not repeated. */
function kept(): Progress {
  try {
    // Another version may have kept less.
    const kept: Partial<Progress> | null = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    const progress = { ...START, ...kept };
    if (!(progress.chosen in STORIES)) return START;
    if (!progress.isSent) return progress;
    const { unknown, done } = progress;
    return { ...afterCall(progress, []), unknown: [...unknown, done.length] };
  } catch {
    return START;
  }
}

async function carryOut(call: ReadyCall): Promise<CallResult<FeedEvent>> {
  if ("verb" in call) return control.trigger(call.verb, call.params);
  const { counts } = await control.status();
  await control.advance(call.advance);
  return { result: {}, events: await control.events({ after: counts.events }) };
}

export const player = new Player();
