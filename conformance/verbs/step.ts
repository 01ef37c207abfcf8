import type { Networks } from "../../src/contract/networks.ts";

/** A name that a script gives to a resource, such as `card 1`. */
export type Name = string;

/** A bank account of a link, as the script wants its bank to show it. */
export interface ScriptAccount {
  readonly as: Name;
  readonly type: "credit" | "depository";
  /** The enrolled card whose last 4 digits it shows; default: those of no enrolled card. */
  readonly card?: Name;
  /** Whether the state of the card leaves open whether the completion links it. */
  readonly isOpen?: true;
  /** A wish: of the card that the completion creates for a credit account. */
  readonly network?: keyof Networks;
}

/** A step of a script: a verb of the driver, with names of the script in place of ids. */
export type Step =
  | {
      readonly verb: "enroll";
      readonly as: Name;
      /** A wish: the target may ignore it. */
      readonly network?: keyof Networks;
    }
  | { readonly verb: "clearSca" | "deactivate" | "upgrade"; readonly card: Name }
  | { readonly verb: "linkCard"; readonly card: Name; readonly account: Name }
  | { readonly verb: "submitFeed"; readonly as: Name; readonly expectedCardCount?: number }
  | { readonly verb: "acceptFeed" | "rejectFeed"; readonly feed: Name }
  | {
      readonly verb: "startLink";
      readonly as: Name;
      readonly accounts: readonly ScriptAccount[];
    }
  | {
      readonly verb: "completeLink";
      readonly link: Name;
      /** A PATCH, or two at once, needs no driver. */
      readonly by: "notification" | "polling" | "patch" | "two patches";
      /** Whether the polling is not waited for: the link is complete now, or later. */
      readonly isLater?: true;
    }
  | { readonly verb: "expireConsent" | "disconnect" | "recover"; readonly account: Name }
  | {
      readonly verb: "authorize";
      readonly as: Name;
      readonly card: Name;
      readonly amount: number;
      readonly merchant: string;
      /** A wish: the target may ignore it. */
      readonly currency?: string;
    }
  | { readonly verb: "clear"; readonly purchase: Name; readonly amount?: number }
  | {
      readonly verb: "postAtBank";
      readonly as: Name;
      readonly account: Name;
      readonly amount: number;
      readonly merchant?: string;
      /** The purchase that the debit belongs to; default: none in the feed. */
      readonly purchase?: Name;
      /** Wishes: the target may ignore them. */
      readonly type?: "credit";
      readonly pending?: true;
      /** Whether the connection is lost: it is refused, or synced later. */
      readonly isLater?: true;
    }
  | {
      readonly verb: "tellLate";
      readonly as: Name;
      readonly card: Name;
      readonly posting: Name;
      readonly amount: number;
      readonly merchant: string;
      /** The confidence that the match is wanted to have; the driver may choose the amount. */
      readonly confidence?: "HIGH" | "MEDIUM" | "LOW";
    }
  | {
      readonly verb: "removeAtProvider" | "retireDuplicate";
      readonly posting: Name;
      /** Whether the connection is lost: it is refused, or announced later. */
      readonly isLater?: true;
    }
  | { readonly verb: "rematch"; readonly purchase: Name }
  | {
      readonly verb: "enrich";
      readonly purchase: Name;
      /** The message that gets merchant data. */
      readonly message: "authorization" | "clearing";
    }
  | { readonly verb: "advance"; readonly seconds: number };

/** A step with one of these verbs. */
export type StepOf<V extends Step["verb"], One extends Step = Step> = One extends Step
  ? [V & One["verb"]] extends [never]
    ? never
    : One
  : never;

/** A script: its opening steps, which create common resources, and the explored steps. */
export interface Script {
  readonly opening: readonly Step[];
  readonly steps: readonly Step[];
}

/** The ids of a resource of the script. */
export interface Ids {
  readonly subscriptionId?: string;
  readonly cardId?: string;
  readonly last4?: string;
  readonly feedId?: string;
  readonly bankLinkId?: string;
  readonly bankAccountId?: string;
  readonly transactionId?: string;
  /** The messages of the authorization and of the latest clearing. */
  readonly messageId?: string;
  readonly clearingId?: string;
  readonly bankTransactionId?: string;
}

/** The fields of steps that name a resource, and the id by which the driver knows it. */
export const FIELD_IDS = {
  card: "cardId",
  account: "bankAccountId",
  feed: "feedId",
  link: "bankLinkId",
  purchase: "transactionId",
  posting: "bankTransactionId",
} as const satisfies Record<string, keyof Ids>;

export type Field = keyof typeof FIELD_IDS;

/** Enrolls a card and clears its SCA. */
export function activeCard(as: Name, network?: StepOf<"enroll">["network"]): Step[] {
  return [
    { verb: "enroll", as, ...(network !== undefined && { network }) },
    { verb: "clearSca", card: as },
  ];
}

/** Starts a bank link and completes it by the notification. */
export function completedLink(as: Name, accounts: readonly ScriptAccount[]): Step[] {
  return [
    { verb: "startLink", as, accounts },
    { verb: "completeLink", link: as, by: "notification" },
  ];
}

/** The card that the completion of a link creates for an account, or the acceptance of a feed. */
export function cardOf(source: Name): Name {
  return `card of ${source}`;
}

/** The names that a script gave itself, such as `card 1` rather than `card of account 1`. */
export function ownNames(resources: object, kind: string): Name[] {
  return Object.keys(resources).filter((name) => /^\w+ \d+$/.test(name) && name.startsWith(kind));
}

/** The name of one more resource of a kind; undefined if there are as many as there may be. */
export function nextName(resources: object, kind: string, most: number): Name | undefined {
  const { length } = ownNames(resources, kind);
  return length < most ? `${kind} ${length + 1}` : undefined;
}

/** The names that a step uses, and those that it gives. */
export function namesIn(step: Step): { readonly uses: readonly Name[]; readonly gives: Name[] } {
  const gives = "as" in step ? [step.as] : [];
  if (step.verb === "startLink") {
    const uses = step.accounts.flatMap(({ card }) => card ?? []);
    // The completion creates the accounts. Their names are given here.
    return { uses, gives: [...gives, ...step.accounts.map(({ as }) => as)] };
  }
  const fields = Object.keys(FIELD_IDS) as Field[];
  const uses = fields.flatMap((field) => (step as Partial<Record<Field, Name>>)[field] ?? []);
  return { uses, gives };
}

/** The name that a name depends on: the account or feed of a card that it may create. */
export function sourceOf(name: Name): Name {
  return name.startsWith("card of ") ? name.slice("card of ".length) : name;
}

/** Renders a step in one line: `authorize as="purchase 1" card="card 1" amount=31.19`. */
export function renderStep({ verb, ...values }: Step): string {
  const parts = Object.entries(values).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [verb, ...parts].join(" ");
}
