import type { Ref } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Attempt, Delivery } from "../../control/control.ts";
import { control, type FeedEvent, failureOf } from "./api.ts";
import { Badge, Moment } from "./format.tsx";
import { useLoaded } from "./hooks.ts";
import { page } from "./model.ts";
import { Command } from "./result-bar.tsx";

/** The content of an open event. */
export function EventDetail({ event }: { event: FeedEvent }) {
  return (
    <div class="detail stack">
      <h3>Requirements</h3>
      <ul class="requirements row" aria-label="Requirements">
        {page.view.contract.events[event.name].requirements.map((id) => (
          <li key={id}>
            <code>{id}</code>
          </li>
        ))}
      </ul>
      <h3>Payload</h3>
      <Code label="Payload" class="payload" text={JSON.stringify(event.body, null, 2)} />
      <h3>Fetch the resource again</h3>
      <Curl event={event} />
      <h3>Deliveries</h3>
      <Deliveries event={event} />
    </div>
  );
}

interface CodeProps {
  readonly label: string;
  readonly class: string;
  readonly text: string;
  readonly code?: Ref<HTMLPreElement>;
}

function Code({ label, text, code = null, ...others }: CodeProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what has the focus
    <section {...others} tabIndex={0} aria-label={label}>
      <pre ref={code}>{text}</pre>
    </section>
  );
}

/** A command that fetches the event's resource, with a button that copies it. */
function Curl({ event }: { event: FeedEvent }) {
  const line = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState("");
  const { value: path = "", error } = useLoaded(() => pathOf(event), []);
  const command = path && commandFor(path, event.accountId);
  const copy = async () => {
    // If the browser forbids copying, the selection remains.
    if (line.current) getSelection()?.selectAllChildren(line.current);
    const copying = navigator.clipboard?.writeText(command) ?? Promise.reject();
    await copying.then(
      () => setCopied("Copied."),
      () => setCopied("Press Ctrl+C to copy."),
    );
  };
  return (
    <div class="stack">
      <Code
        label="curl"
        class="curl"
        code={line}
        text={error ? failureOf(error).text : command || "Loading"}
      />
      <p class="row">
        <button type="button" onClick={copy}>
          Copy
        </button>
        <span role="status">{copied}</span>
      </p>
    </div>
  );
}

/** The path of the event's resource. */
async function pathOf({ name, body, resource }: FeedEvent): Promise<string> {
  const { contract } = page.view;
  if (name === "enrichment.merchant.created") return body._links.message.href;
  const { kind } = contract.events[name];
  if (kind === null || contract.listed.includes(kind)) return `/${kind}`;
  if ("_links" in body) return body._links.self.href;
  const found = await control.resource(kind, "matchId" in body ? body.matchId : resource);
  return found.body._links?.self?.href ?? "";
}

function commandFor(path: string, accountId: string): string {
  const account = page.view.status.accounts.find((one) => one.accountId === accountId);
  const { origin } = location;
  const token = [
    "curl -s -d grant_type=client_credentials",
    `-d client_id=${account?.clientId} -d client_secret=${account?.clientSecret}`,
    `${origin}/auth/realms/${accountId}/protocol/openid-connect/token`,
    `| sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/'`,
  ].join(" ");
  return `curl -s -H "Authorization: Bearer $(${token})" ${origin}${path}`;
}

function Deliveries({ event: { name, seq } }: { event: FeedEvent }) {
  const { value: deliveries } = useLoaded(() => control.deliveries({ seq }), [page.view]);
  if (!deliveries) return null;
  if (deliveries.length === 0) {
    return <p class="empty">None. Add an endpoint under Controls; it receives later events.</p>;
  }
  return (
    <ul class="deliveries stack" aria-label="Deliveries">
      {deliveries.map((delivery) => (
        <DeliveryItem key={delivery.id} name={name} {...delivery} />
      ))}
    </ul>
  );
}

function DeliveryItem(props: Delivery & { name: string }) {
  const { attempts, dueAt, endpointId, id, name, state } = props;
  const url = page.view.endpoints.find((endpoint) => endpoint.id === endpointId)?.url;
  const replay = async () => {
    await control.replay(id);
    return "The delivery is sent again.";
  };
  return (
    <li>
      <p class="line">
        <span class="url">{url ?? "a removed endpoint"}</span>
        <Badge state={state} />
      </p>
      {attempts.length > 0 && (
        <ol aria-label="Attempts">
          {attempts.map((attempt, at) => (
            <li key={at}>
              <Moment at={attempt.at} /> {outcomeOf(attempt)}
            </li>
          ))}
        </ol>
      )}
      {dueAt !== null && (
        <p class="meta">
          Next attempt: <Moment at={dueAt} />
        </p>
      )}
      <Command what="Replay" label={`Replay ${name}`} work={replay} />
    </li>
  );
}

function outcomeOf({ status, error, durationMs }: Attempt): string {
  const outcome = status === null ? (error ?? "no response") : `status ${status}`;
  const why = status !== null && error !== null ? `: ${error}` : "";
  return `${outcome}${why}, ${Math.round(durationMs)} ms`;
}
