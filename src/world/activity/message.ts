import type { Cents } from "../../model/money.ts";
import { pick } from "../../model/pick.ts";
import { type MessageNote, noteOf } from "../../model/settlement.ts";
import {
  type Identification,
  type MessageBody,
  type MessageDetails,
  type MessageOwner,
  messageBody,
} from "../../model/transaction-message.ts";
import type { Resource } from "../resources.ts";
import type { UnitOfWork } from "../unit-of-work.ts";

const IDENTIFICATION = ["approvalCode", "traceId", "transactionReference"] as const;

/** A new message. */
interface NewMessage extends Omit<MessageDetails, "id"> {
  /** Default: a new id. */
  readonly id?: string;
  readonly cents: Cents;
  /** YYYY-MM-DD: the day by which matching looks for the posting. */
  readonly day: string;
  /** See {@link MessageNote.legId}. Default: the message's own id. */
  readonly legId?: string | undefined;
  readonly superseded?: boolean;
}

/** A stored message, to be announced with the change of its transaction. */
export interface WrittenMessage {
  readonly body: MessageBody;
  /** The parts of the message that the transaction stores. */
  readonly note: MessageNote;
}

/** Stores a message of a transaction. */
export function writeMessage(
  work: UnitOfWork,
  transactionId: string,
  owner: MessageOwner,
  message: NewMessage,
): WrittenMessage {
  const { id = work.random.id("message"), cents } = message;
  const { accountId, subaccountId } = owner;
  const body = messageBody(owner, { ...message, id }, cents);
  const kind = "transaction-messages" as const;
  work.insert({ kind, id, accountId, subaccountId, parent: transactionId, body, internal: {} });
  return { body, note: noteOf({ ...message, id }) };
}

/** Stores a further message of a purchase. It inherits from the authorization (TXN-12). */
export function writeFollowUp(
  work: UnitOfWork,
  { id, accountId, body, internal }: Resource<"transactions">,
  message: Omit<NewMessage, keyof Identification | "messageType" | "result">,
): WrittenMessage {
  const [first] = internal.messages;
  const authorization = work.store.find("transaction-messages", first?.id ?? "");
  return writeMessage(
    work,
    id,
    { ...body, accountId },
    {
      messageType: "FINL_ADVC",
      result: "APPROVED",
      ...pick(authorization.body as MessageBody, ...IDENTIFICATION),
      ...message,
    },
  );
}
