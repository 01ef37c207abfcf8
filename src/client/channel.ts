/** The subset of `node:diagnostics_channel` that the client uses. */
export interface TracingChannel {
  readonly hasSubscribers?: boolean;
  tracePromise<T>(run: () => Promise<T>, trace: object): Promise<T>;
}

interface Builtins {
  getBuiltinModule?(name: string): { tracingChannel?(name: string): TracingChannel } | undefined;
}

let channel: TracingChannel | null | undefined;

/**
 * The channel `txfeed:call`; null if the platform has no `node:diagnostics_channel`. The first call
 * loads it, not the import of the client.
 */
export function callChannel(): TracingChannel | null {
  if (channel === undefined)
    channel =
      (globalThis as { process?: Builtins }).process
        ?.getBuiltinModule?.("node:diagnostics_channel")
        ?.tracingChannel?.("txfeed:call") ?? null;
  return channel;
}
