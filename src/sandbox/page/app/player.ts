import { type Call, resolved, type Script } from "../../../world/script.ts";
import { control, type FeedEvent, type Outcome } from "./api.ts";
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
  /** What the calls of the story gave, by name. */
  readonly outcomes: Readonly<Record<string, Outcome>>;
}

const START: Progress = { chosen: 0, done: [], calls: 0, events: [], outcomes: {} };
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
    const story = STORIES[this.progress.chosen];
    if (!story) throw new Error(`there is no story ${this.progress.chosen}`);
    return story;
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
      for (const call of step.calls.slice(own.calls)) {
        const outcome = await play(call, own);
        const { events } = outcome;
        // The story was restarted meanwhile.
        if (this.progress !== own) return;
        page.note(events);
        own = {
          ...own,
          calls: own.calls + 1,
          events: [...own.events, ...events],
          outcomes:
            "as" in call && call.as ? { ...own.outcomes, [call.as]: outcome } : own.outcomes,
        };
        this.#keep(own);
      }
      const { events } = own;
      own = { ...own, done: [...own.done, events], calls: 0, events: [] };
      this.#keep(own);
      page.highlight(events);
    } catch (error) {
      if (this.progress === own) this.error = error;
    } finally {
      if (this.progress === own) this.isBusy = false;
      page.set({});
    }
  }

  #keep(progress: Progress): void {
    this.progress = progress;
    try {
      sessionStorage.setItem(KEY, JSON.stringify(progress));
    } catch {
      // The browser forbids it, or it is full: the story can be played without it.
    }
    page.set({});
  }
}

/** The progress before the page was reloaded. */
function kept(): Progress {
  try {
    const progress: Progress = JSON.parse(sessionStorage.getItem(KEY) ?? "null") ?? START;
    return progress.chosen in STORIES ? progress : START;
  } catch {
    return START;
  }
}

async function play(call: Call, { outcomes }: Progress): Promise<Outcome> {
  if ("verb" in call) {
    const { networks } = page.world.status;
    const params = resolved(call.params ?? {}, new Map(Object.entries(outcomes)), networks);
    return control.trigger(call.verb, params as never);
  }
  const { counts } = await control.status();
  await control.advance(call.advance);
  return { result: {}, events: await control.events({ after: counts.events }) };
}

export const player = new Player();
