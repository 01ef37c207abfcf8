/** The values of open sets that rules give a meaning to. */

/** The network of what only a bank saw. */
export const OPEN_BANKING = "OPEN_BANKING";

/** The message type of what a card network authorized. */
export const AUTHORIZATION = "AUTH_REQU";

/** The message type of a settlement, by the network's clearing or by a bank posting. */
export const SETTLEMENT = "FINL_ADVC";
