/** The codes of the three card networks, which the interface leaves to configuration. */
export interface Networks {
  readonly a: string;
  /** The network of bulk feeds. */
  readonly b: string;
  /** The network whose messages carry a traceId (MSG-04). */
  readonly c: string;
}

/** The codes where nothing else is configured: the interface's own placeholders. */
export const DEFAULT_NETWORKS: Networks = { a: "NETWORK_A", b: "NETWORK_B", c: "NETWORK_C" };

/** What a judgement depends on besides the payload. */
export interface ContractOptions {
  readonly networks?: Networks;
}

/** The codes that the options name. JavaScript may leave some out: these are the defaults. */
export function networksIn(options: ContractOptions | undefined): Networks {
  const networks = options?.networks;
  if (!networks) return DEFAULT_NETWORKS;
  const { a = DEFAULT_NETWORKS.a, b = DEFAULT_NETWORKS.b, c = DEFAULT_NETWORKS.c } = networks;
  return { a, b, c };
}
