import { render } from "preact";
import { useEffect, useReducer } from "preact/hooks";
import { advance, Controls } from "./controls.tsx";
import { Moment, seconds } from "./format.tsx";
import { page, type SandboxView } from "./model.ts";
import { Resources } from "./resources.tsx";
import { ResultBar } from "./result-bar.tsx";
import { StoryPanel } from "./story.tsx";
import { Timeline } from "./timeline.tsx";

const PANELS = [
  ["story", "Stories"],
  ["resources", "Resources"],
  ["timeline", "Events"],
  ["controls", "Controls"],
] as const;

function App() {
  page.draw = useDraw();
  const { connection, panel, loaded } = page;
  return (
    <div class="app" data-panel={panel}>
      <header class="row">
        <h1>Sandbox</h1>
        <p id="connection" role="status" class={connection.startsWith("Not") ? "bad" : "meta"}>
          {connection}
        </p>
        {loaded && <Clock {...loaded} />}
        <fieldset class="advance" aria-label="Advance the clock">
          {["1 h", "1 d", "3 d"].map((by) => (
            <button
              key={by}
              type="button"
              aria-label={`Advance +${by}`}
              onClick={() => page.run("Advance", () => advance({ by: by.replace(" ", "") }))}
            >
              +{by}
            </button>
          ))}
        </fieldset>
      </header>
      <nav aria-label="Panels">
        {PANELS.map(([name, title]) => (
          <button
            key={name}
            type="button"
            class="tab"
            data-opens={name}
            aria-pressed={name === panel}
            onClick={() => page.set({ panel: name })}
          >
            {title}
          </button>
        ))}
      </nav>
      <main>
        <StoryPanel />
        {loaded && (
          <>
            <Controls />
            <Resources />
            <Timeline />
          </>
        )}
      </main>
      <ResultBar />
    </div>
  );
}

/** Returns what draws the component again. */
function useDraw(): () => void {
  const [, draw] = useReducer((turn: number) => turn + 1, 0);
  return () => draw(undefined);
}

/** The sandbox's time. A real clock goes on by itself. */
function Clock({ status, loadedAt }: SandboxView) {
  const { mode, now, nextDue } = status.clock;
  const draw = useDraw();
  useEffect(() => {
    const timer = setInterval(draw, 1000);
    return () => clearInterval(timer);
  }, []);
  const passedMs = mode === "real" ? performance.now() - loadedAt : 0;
  const time = new Date(Date.parse(now) + passedMs).toISOString();
  return (
    <p class="clock">
      <span>
        <time id="now" dateTime={time}>
          {seconds(time)} UTC
        </time>{" "}
        {mode}
      </span>{" "}
      <span id="next-due">
        {nextDue ? (
          <>
            Next due <Moment at={nextDue} />
          </>
        ) : (
          "Nothing is due"
        )}
      </span>
    </p>
  );
}

render(<App />, document.body);
page.follow();
