// The values of open sets that the rules interpret.

/** The network of bank-only transactions and messages. */
export const OPEN_BANKING = "OPEN_BANKING";

/** The message type of a card network's authorization. */
export const AUTHORIZATION = "AUTH_REQU";

/** The message type of a settlement, by a network's clearing or by a bank posting. */
export const SETTLEMENT = "FINL_ADVC";
