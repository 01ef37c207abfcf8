import { useState } from "preact/hooks";
import type {
  ClockSetting,
  Endpoint,
  EndpointParams,
  Faults,
  ResetParams,
} from "../../control/control.ts";
import { control } from "./api.ts";
import { SchemaForm } from "./fields.tsx";
import { counted, Facts, Meta } from "./format.tsx";
import { useLoaded } from "./hooks.ts";
import { page } from "./model.ts";
import { accountName } from "./names.ts";
import { Command } from "./result-bar.tsx";

/** The panel of the clock, endpoints, faults, snapshots, the reset and the accounts. */
export function Controls() {
  return (
    <section id="controls" class="panel" aria-labelledby="controls-title">
      <div class="bar row">
        <h2 id="controls-title">Controls</h2>
      </div>
      <div class="content">
        <Clock />
        <Endpoints />
        <FaultControls />
        <Snapshots />
        <Reset />
        <details>
          <summary>Accounts and credentials</summary>
          {page.view.status.accounts.map((account, at) => (
            <div key={account.accountId}>
              <h3>Account {at + 1}</h3>
              <Facts ids={{ ...account }} />
            </div>
          ))}
          <p class="meta">
            The interface as OpenAPI: <a href="../openapi.json">openapi.json</a>,{" "}
            <a href="../openapi.yaml">openapi.yaml</a>
          </p>
        </details>
      </div>
    </section>
  );
}

function Clock() {
  const { inputs } = page.view.contract;
  const { mode } = page.view.status.clock;
  const set = async (setting: ClockSetting) => {
    await control.setClock(setting);
    return `The clock is ${setting.mode}.`;
  };
  return (
    <details open>
      <summary>Clock</summary>
      <SchemaForm what="Advance" schema={inputs.advance} values={{ by: "90m" }} work={advance} />
      <SchemaForm what="Set the clock" schema={inputs.setClock} values={{ mode }} work={set} />
    </details>
  );
}

const empty = (form: HTMLFormElement) => form.reset();

/** Advances the clock, and reports it. */
export async function advance({ by }: { by: string }): Promise<string> {
  await control.advance(by);
  return `The clock advanced by ${by}.`;
}

function Endpoints() {
  const { contract, endpoints } = page.view;
  const add = async (params: EndpointParams) => {
    await control.addEndpoint(params);
    return `${params.url} receives the events from now on.`;
  };
  const replay = async () => {
    const { replayed } = await control.replay("all");
    return `${counted(replayed, "delivery is", "deliveries are")} sent again.`;
  };
  return (
    <details>
      <summary>Endpoints</summary>
      <ul>
        {endpoints.map((endpoint) => (
          <EndpointItem key={endpoint.id} {...endpoint} />
        ))}
      </ul>
      {endpoints.length === 0 && (
        <p class="empty">
          No endpoint receives events yet. Start txfeed listen, and add its address.
        </p>
      )}
      <SchemaForm
        what="Add the endpoint"
        schema={contract.inputs.addEndpoint}
        work={add}
        onDone={empty}
      >
        <Command what="Replay all" work={replay} />
      </SchemaForm>
    </details>
  );
}

function EndpointItem({ id, url, events, secret, accountId }: Endpoint) {
  const remove = async () => {
    await control.removeEndpoint(id);
    return "The endpoint is removed.";
  };
  return (
    <li>
      <p class="line">
        <span class="url">{url}</span>
        <Command what="Remove" label={`Remove ${url}`} work={remove} />
      </p>
      <Meta facts={[events?.join(", ") ?? "all events", accountName(accountId)]} />
      <Facts ids={{ secret }} />
    </li>
  );
}

function FaultControls() {
  const [{ faults, turn }, setFaults] = useState<{ faults?: Faults; turn: number }>({ turn: 0 });
  const show = (loaded: Faults) => setFaults({ faults: loaded, turn: turn + 1 });
  const set = async (setting: Partial<Faults>) => {
    const { api, deliveries, listLagMs } = await control.setFaults(setting);
    const count = counted(api.length + deliveries.length, "fault is", "faults are");
    return `${count} set, and lists are delayed by ${listLagMs} ms.`;
  };
  const clear = async () => {
    show(await control.setFaults({}));
    return "No faults are set.";
  };
  return (
    <details onToggle={() => control.faults().then(show, () => undefined)}>
      <summary>Faults</summary>
      {/* Only new fields show other values. */}
      <SchemaForm
        key={turn}
        what="Set the faults"
        schema={page.view.contract.inputs.setFaults}
        values={{ ...faults }}
        work={set}
      >
        <Command what="Clear the faults" work={clear} />
      </SchemaForm>
    </details>
  );
}

function Snapshots() {
  const { value: names } = useLoaded(() => control.snapshots(), [page.view]);
  const save = async ({ name }: { name?: string }) => {
    if (name === undefined) throw new Error("give the snapshot a name");
    await control.snapshot(name);
    return `The state is saved as ${name}.`;
  };
  const restore = async (name: string) => {
    await control.restore(name);
    page.replaceLog();
    return `The state of ${name} is restored.`;
  };
  return (
    <details>
      <summary>Snapshots</summary>
      <ul>
        {names?.map((name) => (
          <li key={name} class="line">
            <code>{name}</code>
            <Command what="Restore" label={`Restore ${name}`} work={() => restore(name)} />
          </li>
        ))}
      </ul>
      {names?.length === 0 && (
        <p class="empty">No snapshot yet. Save the state, and restore it later.</p>
      )}
      <SchemaForm
        what="Save the snapshot"
        schema={page.view.contract.inputs.snapshot}
        work={save}
        onDone={empty}
      />
    </details>
  );
}

function Reset() {
  const reset = async (params: ResetParams) => {
    await control.reset(params);
    page.replaceLog();
    return params.world
      ? `The sandbox has the initial data "${params.world}".`
      : "The sandbox has its initial data again.";
  };
  return (
    <details>
      <summary>Reset</summary>
      <p class="hint">Deletes everything except the endpoints and snapshots.</p>
      <SchemaForm what="Reset" schema={page.view.contract.inputs.reset} work={reset} />
    </details>
  );
}
