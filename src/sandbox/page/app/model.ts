import type { Kind } from "../../../world/resources.ts";
import type { VerbName } from "../../../world/verbs/names.ts";
import type { Endpoint, SandboxStatus } from "../../control/control.ts";
import type { Remedy } from "../../control/types.ts";
import type { PageContract } from "../contract.ts";
import * as api from "./api.ts";
import { control, type FeedEvent, type Shown } from "./api.ts";

/** Maximum number of events on the page. */
const KEPT_EVENTS = 200;

/** The most resources of a kind that name others. */
const MAX_NAMED = 200;

/** Minimum interval between refreshes, in milliseconds. */
const REFRESH_APART_MS = 100;

/** Delay before reopening a refused stream, in milliseconds. */
const RETRY_MS = 2000;

/** What the page loads from the sandbox: a new object after each change. */
export interface SandboxView {
  readonly verbs: readonly api.Verb[];
  readonly contract: PageContract;
  readonly status: SandboxStatus;
  readonly endpoints: readonly Endpoint[];
  /** The latest events, the oldest first. */
  readonly events: readonly FeedEvent[];
  /** The resources that name others, by id. */
  readonly named: ReadonlyMap<string, Shown<"cards" | "card-subscriptions" | "bank-accounts">>;
  /** When it was loaded, in milliseconds since the page started. */
  readonly loadedAt: number;
}

/** The result of the user's last command: in words, or the events that it sent. */
export interface Result {
  readonly what: string;
  readonly ending: "done" | "refused" | "failed";
  readonly content: string | readonly FeedEvent[];
  readonly remedy?: Remedy | undefined;
}

/** Which events the timeline shows. */
export type Filter =
  | { readonly by: "all" }
  | { readonly by: "kind"; readonly kind: Kind | null }
  | { readonly by: "resource"; readonly id: string; readonly name: string };

/** What the parts of the page share, and what changes it. */
class Page {
  connection: "Connecting" | "Live" | "Not connected; trying again" = "Connecting";
  /** Undefined until it is loaded. */
  loaded: SandboxView | undefined;
  /** The positions of the events of the last command. */
  fresh: ReadonlySet<number> = new Set();
  result: Result | undefined;
  panel: "story" | "resources" | "timeline" | "controls" = "story";
  filter: Filter = { by: "all" };
  /** The open event. A new object scrolls to it. */
  opened: { readonly key: string } | undefined;
  /** Draws the page. */
  draw: () => void = () => undefined;
  /** Called when another log replaced that of the sandbox. */
  onReplaced: () => void = () => undefined;
  /** The latest position that the log is known to have. */
  #reached = 0;
  #stream: EventSource | undefined;
  #isStale = false;
  #isRefreshing = false;

  get view(): SandboxView {
    if (!this.loaded) throw new Error("nothing is loaded yet");
    return this.loaded;
  }

  set(change: Partial<Page>): void {
    Object.assign(this, change);
    this.draw();
  }

  /** Follows the changes of the sandbox by its event stream, and reopens it when it is lost. */
  follow(): void {
    const source = new EventSource(`${api.BASE}events/stream`);
    this.#stream = source;
    // Each connection starts with a change, too.
    source.addEventListener("change", () => this.#refresh());
    source.addEventListener("error", () => {
      this.set({ connection: "Not connected; trying again" });
      // EventSource reconnects after a lost connection, but not after an error status.
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.follow(), RETRY_MS);
    });
  }

  /** Runs a command and shows its result. Resolves with whether it was done. */
  async run(what: string, work: () => Promise<Result["content"]>): Promise<boolean> {
    try {
      this.set({ result: { what, ending: "done", content: await work() } });
      return true;
    } catch (error) {
      const { isRefused, text, remedy } = api.failureOf(error);
      const ending = isRefused ? "refused" : "failed";
      this.set({ result: { what, ending, content: text, remedy } });
      return false;
    }
  }

  runVerb(verb: VerbName, params: object): Promise<boolean> {
    return this.run(verb, () => this.trigger(verb, params));
  }

  /** Runs a verb. Resolves with the events that it sent. */
  async trigger(verb: VerbName, params: object): Promise<readonly FeedEvent[]> {
    const { events } = await control.trigger(verb, params);
    return events;
  }

  /** Notes events of the log: a log without them is another one. */
  note(events: readonly FeedEvent[]): void {
    this.#reached = Math.max(this.#reached, ...events.map(({ seq }) => seq));
  }

  /** Marks the events of the last command. */
  highlight(events: readonly FeedEvent[]): void {
    this.set({ fresh: new Set(events.map(({ seq }) => seq)) });
  }

  openEvent(event: FeedEvent): void {
    const filter: Filter = this.#isShown(event) ? this.filter : { by: "all" };
    this.#showTimeline({ filter, opened: { key: String(event.seq) } });
  }

  /** Shows only the events about a resource. */
  showEventsOf(id: string, name: string): void {
    this.#showTimeline({ filter: { by: "resource", id, name } });
  }

  /** The events to show, the newest first. */
  shownEvents(): readonly FeedEvent[] {
    const shown = this.view.events.filter((event) => this.#isShown(event));
    return shown.sort((one, other) => other.at.localeCompare(one.at) || other.seq - one.seq);
  }

  /** Called after another log replaced that of the sandbox. */
  replaceLog(): void {
    this.#reached = 0;
    this.set({ fresh: new Set(), opened: undefined });
    this.onReplaced();
  }

  /** Loads the view, and again while it changes, but not too often. */
  async #refresh(): Promise<void> {
    this.#isStale = true;
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    while (this.#isStale) {
      this.#isStale = false;
      // The stream reports a lost connection, and a change after the next one.
      await this.#load().catch(() => undefined);
      const isOpen = this.#stream?.readyState === EventSource.OPEN;
      if (isOpen && this.loaded) this.set({ connection: "Live" });
      await new Promise((resolve) => setTimeout(resolve, REFRESH_APART_MS));
    }
    this.#isRefreshing = false;
  }

  async #load(): Promise<void> {
    const reached = this.#reached;
    const status = await control.status();
    const after = Math.max(0, status.counts.events - KEPT_EVENTS);
    const limit = MAX_NAMED;
    const [verbs, contract, endpoints, events, ...named] = await Promise.all([
      this.loaded?.verbs ?? control.verbs(),
      this.loaded?.contract ?? api.loadContract(),
      control.endpoints(),
      control.events({ after, limit: KEPT_EVENTS }),
      control.resources("cards", { limit }),
      control.resources("card-subscriptions", { limit }),
      control.resources("bank-accounts", { limit }),
    ]);
    const byId = new Map(named.flat().map((one) => [one.id, one]));
    const loadedAt = performance.now();
    this.set({ loaded: { verbs, contract, status, endpoints, events, named: byId, loadedAt } });
    // A shorter log is another log.
    if (status.counts.events < reached) this.replaceLog();
    // The log may have been replaced meanwhile.
    if (this.#reached >= reached) this.#reached = Math.max(reached, status.counts.events);
  }

  #isShown({ name, resource, body }: FeedEvent): boolean {
    const { filter, view } = this;
    if (filter.by === "all") return true;
    if (filter.by === "kind") return view.contract.events[name].kind === filter.kind;
    return resource === filter.id || JSON.stringify(body).includes(filter.id);
  }

  #showTimeline(change: Partial<Page>): void {
    const isNarrow = matchMedia("(max-width: 64rem)").matches;
    this.set({ ...change, panel: isNarrow ? "timeline" : this.panel });
  }
}

export const page = new Page();
