import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { DryRun } from "../../control/control.ts";
import { control, type Verb } from "./api.ts";
import { SchemaForm } from "./fields.tsx";
import { useLoaded } from "./hooks.ts";
import { page } from "./model.ts";
import { choicesOf } from "./pickers.ts";
import { RemedyButton } from "./result-bar.tsx";

/** A verb, and the ids that it is given. */
interface OfferedVerb {
  readonly verb: Verb;
  readonly params: Readonly<Record<string, string>>;
}

/** The verbs that take one of these ids, with those that each takes. */
export function callsFor(ids: OfferedVerb["params"], accountId: string): OfferedVerb[] {
  return page.view.verbs.flatMap((verb) => {
    const { properties = {} } = verb.params;
    const taken = Object.entries(ids).filter(([name]) => name in properties);
    if (taken.length === 0) return [];
    return [{ verb, params: { accountId, ...Object.fromEntries(taken) } }];
  });
}

/** The buttons of verbs. Those that the sandbox would refuse are disabled, after the others. */
export function Actions({ calls, label }: { calls: readonly OfferedVerb[]; label: string }) {
  const { value: runs = [] } = useLoaded(async () => {
    const tried = calls.map(({ verb, params }) => ({ verb: verb.name, params }));
    return tried.length === 0 ? [] : control.dryRun({ calls: tried });
  }, [page.view]);
  const actions = runs.flatMap((run, at) => {
    const call = calls[at];
    return call ? [{ ...call, run, isRefused: run.refusal !== null && !needsForm(call) }] : [];
  });
  const sorted = actions.toSorted((one, other) => Number(one.isRefused) - Number(other.isRefused));
  return (
    <ul class="actions stack" aria-label={label}>
      {sorted.map((action) => (
        <Action key={action.verb.name} {...action} />
      ))}
    </ul>
  );
}

/** Whether a required parameter is not given. */
function needsForm({ verb, params }: OfferedVerb): boolean {
  return (verb.params.required ?? []).some((name) => !(name in params));
}

function Action({
  verb,
  params,
  run,
  isRefused,
}: OfferedVerb & { run: DryRun; isRefused: boolean }) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const more = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    if (isOpen) form.current?.querySelector<HTMLElement>("select, input")?.focus();
  }, [isOpen]);
  const { properties = {} } = verb.params;
  const others = Object.entries(properties).filter(([name]) => !(name in params));
  const schema = { ...verb.params, properties: Object.fromEntries(others) };
  // Another account may have a resource that the verb applies to.
  const hasOptions = isRefused ? "accountId" in schema.properties : others.length > 0;
  const act = () => {
    // The values of an open form count, whichever button runs the verb.
    if (form.current) form.current.requestSubmit();
    else if (needsForm({ verb, params })) setOpen(true);
    else void page.runVerb(verb.name, params);
  };
  const close = () => {
    setOpen(false);
    more.current?.focus();
  };
  return (
    <li class="row">
      <button type="button" class="verb" aria-describedby={id} disabled={isRefused} onClick={act}>
        {verb.name}
      </button>
      <p class={isRefused ? "about refusal" : "about"} id={id}>
        {sentence(isRefused ? nameless(run.refusal ?? "", Object.values(params)) : verb.summary)}
      </p>
      {isRefused && run.remedy && <RemedyButton remedy={run.remedy} />}
      {hasOptions && (
        <button
          ref={more}
          type="button"
          class="options"
          aria-label={`Options of ${verb.name}`}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          Options
        </button>
      )}
      {isOpen && (
        <SchemaForm<object>
          form={form}
          what={verb.name}
          label={`Parameters of ${verb.name}`}
          action={`Run ${verb.name}`}
          schema={schema}
          pick={(name) => choicesOf(name, verb.name, params)}
          work={(given) => page.trigger(verb.name, { ...params, ...given })}
          onDone={close}
        />
      )}
    </li>
  );
}

/** Replaces "card subscription 02e0…" by "this card subscription": the row shows which. */
function nameless(text: string, ids: readonly string[]): string {
  const kind = "((?:(?:bank|card|network|bulk) )*\\w+)";
  return ids.reduce((words, id) => words.replaceAll(RegExp(`${kind} ${id}`, "g"), "this $1"), text);
}

/** A sentence, from a text that starts in lower case and has no full stop. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
