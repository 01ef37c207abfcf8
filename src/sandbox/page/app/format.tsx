import type { ComponentChildren } from "preact";
import type { EventPayloads } from "../../../../generated/events.ts";

const formats = new Map<string, Intl.NumberFormat>();

/** Formats an amount with its currency's number of decimal places. */
export function money(amount = 0, currency = ""): string {
  const options = { style: "currency", currency, currencyDisplay: "code" } as const;
  const format = formats.get(currency) ?? new Intl.NumberFormat("en", options);
  formats.set(currency, format);
  const parts = format.formatToParts(amount).filter(({ type }) => !/currency|literal/.test(type));
  return `${parts.map(({ value }) => value).join("")} ${currency}`;
}

/** The amount of a transaction: what is settled, or what is held. */
export function amountOf(transaction: EventPayloads["transaction.created"]): string {
  const { transactionSettledAmount, transactionHoldAmount, transactionCurrency } = transaction;
  return money(transactionSettledAmount || transactionHoldAmount, transactionCurrency);
}

/** "1 event", or "2 events". */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Formats a timestamp to the second. */
export function seconds(timestamp: string): string {
  return timestamp.slice(0, 19).replace("T", " ");
}

export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {seconds(at)}
    </time>
  );
}

const TONES = {
  good: /^(SETTLED|HIGH|active|completed|delivered)$/,
  waiting: /^(PENDING|MEDIUM|reqSCA|auth_required|submitted|started|finished|waiting)$/,
  bad: /^(failed|disconnected|deactivated|deleted|dropped|declined)$/,
};

/** A state's name, coloured by its meaning. */
export function Badge({ state }: { state: string }) {
  const [tone] = Object.entries(TONES).find(([, states]) => states.test(state)) ?? [];
  return <span class={`badge ${tone ?? ""}`}>{state}</span>;
}

/** An id or a secret, which is selected as a whole for copying. */
export function Id({ id }: { id: string }) {
  return <code class="id">{id}</code>;
}

/** Details on one line, separated by dots. */
export function Meta({ facts }: { facts: readonly ComponentChildren[] }) {
  const shown = facts.filter(Boolean);
  return <span class="meta">{shown.map((fact, at) => (at === 0 ? fact : [" · ", fact]))}</span>;
}

interface FactsProps {
  readonly ids?: Readonly<Record<string, string | null | undefined>>;
  readonly terms?: Readonly<Record<string, ComponentChildren>>;
}

/** A list of terms and their values, without empty ones. */
export function Facts({ ids = {}, terms = {} }: FactsProps) {
  const known = Object.entries(ids).map(([name, id]) => [name, id && <Id id={id} />] as const);
  const shown = [...Object.entries(terms), ...known].filter(([, value]) => value);
  return (
    <dl class="facts stack">
      {shown.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
