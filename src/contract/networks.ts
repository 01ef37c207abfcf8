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
