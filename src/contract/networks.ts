/** The codes of the three card networks. Each deployment configures its own. */
export interface Networks {
  readonly a: string;
  /** The network of bulk feeds. */
  readonly b: string;
  /** The network whose messages carry a traceId (MSG-04). */
  readonly c: string;
}

/** The default codes: the placeholders of the interface. */
export const DEFAULT_NETWORKS: Networks = { a: "NETWORK_A", b: "NETWORK_B", c: "NETWORK_C" };

/** The options of every validation. */
export interface ContractOptions {
  readonly networks?: Networks;
}

/** The network codes of the options. A code that JavaScript leaves out gets its default. */
export function networksIn(options: ContractOptions | undefined): Networks {
  const networks = options?.networks;
  if (!networks) return DEFAULT_NETWORKS;
  const { a = DEFAULT_NETWORKS.a, b = DEFAULT_NETWORKS.b, c = DEFAULT_NETWORKS.c } = networks;
  return { a, b, c };
}
