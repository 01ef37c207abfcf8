import { expect, test } from "vitest";
import { readDocument, type Schema } from "../document.ts";

const { schemas } = readDocument().components;

/**
 * The tables of the interface, one row per schema. A field ending in `?` may be absent, and a field
 * ending in `|null` may be null.
 */
const TABLES: Record<string, string> = {
  AccessToken: "access_token expires_in token_type",
  TokenRequest: "client_id client_secret grant_type",
  Acceptor: "city country mcc state",
  Transaction:
    "id subaccountId cardId|null network status descriptor acceptor transactionCurrency " +
    "cardholderBillingCurrency transactionHoldAmount transactionSettledAmount " +
    "cardholderBillingHoldAmount cardholderBillingSettledAmount transactionType " +
    "supersededMessageIds createdAt updatedAt _links _embedded?",
  TransactionLinks: "self subaccount card? messages",
  TransactionMessage:
    "id _links messageType network result approvalCode?|null transactionReference? " +
    "transactionAmount transactionCurrency cardholderBillingAmount? cardholderBillingCurrency? " +
    "dateTime? bankData?|null traceId|null accountId subaccountId cardId?|null",
  ProjectedTransactionMessage:
    "id _links messageType network result approvalCode?|null transactionReference " +
    "transactionAmount transactionCurrency cardholderBillingAmount cardholderBillingCurrency " +
    "dateTime bankData|null superseded traceId|null accountId? subaccountId? cardId?|null",
  BankData: "provider bankTransactionId personalFinanceCategory",
  PersonalFinanceCategory: "primary detailed",
  CardholderSingleSubscription:
    "id subaccountId cardId enrollmentType state networkBulkFeedId|null bankAccountId? " +
    "customerReferenceId|null effectiveDate expirationDate createdAt updatedAt _links",
  NetworkBulkSubscription:
    "id subaccountId cardId enrollmentType state networkBulkFeedId bankAccountId? " +
    "customerReferenceId|null effectiveDate expirationDate createdAt updatedAt _links",
  BankFeedSubscription:
    "id subaccountId cardId enrollmentType state networkBulkFeedId|null bankAccountId " +
    "customerReferenceId|null effectiveDate expirationDate createdAt updatedAt _links",
  CardSubscriptionLinks: "self card bankAccount?",
  NetworkBulkLinks: "self card networkBulkFeed bankAccount?",
  BankFeedLinks: "self card bankAccount",
  NetworkBulkFeedEvent:
    "id subaccountId network networkReference oldState newState errorReason? expectedCardCount? " +
    "createdAt updatedAt _links metadata?",
  NetworkBulkFeed: "id _links",
  BankTransactionEvent:
    "id bankAccountId bankAccountName date amount currency description merchantName|null " +
    "category|null pending transactionType metadata?",
  BankTransaction:
    "id bankAccountId? bankAccountName? date? amount? currency? description? merchantName?|null " +
    "category pending? transactionType? _links?",
  TransactionMatchEvent: "matchId confidence score cardTransaction reasons matches metadata?",
  TransactionMatch: "id confidence? score? cardTransaction? reasons? matches? _links?",
  ListedCardTransaction: "id? cardId? date? amount? currency? descriptor? source?",
  ListedMatchReason: "type? score? cardValue? bankValue? diff? message?",
  ListedBankTransaction:
    "id? bankAccountId? bankAccountName? date? amount? currency? source? description?",
  MatchedCardTransaction: "id cardId date amount currency descriptor source",
  MatchReason: "type score cardValue bankValue diff message",
  MatchedBankTransaction:
    "id bankAccountId bankAccountName date amount currency source description",
  BankLinkCompletedEvent: "bankLinkId bankAccounts metadata?",
  LinkedBankAccount: "id name mask type cardIds cards?",
  MintedCard: "id subscriptionId last4digits network enrollmentType",
  BankAccountStateEvent: "bankAccountId state previousState reason|null expiresAt|null metadata?",
  BankTransactionDeletedEvent: "id bankAccountId deletedAt reason metadata",
  TransactionMatchDeletedEvent: "matchId bankTransactionId cardTransactionId reason metadata",
  MerchantEnrichmentEvent: "id createdAt merchant location _links metadata?",
  EnrichedMerchant: "name category",
  EnrichedLocation: "address city state country postalCode phoneNumber",
  EnrichmentLinks: "message merchant merchant-logo",
  ExternalLink: "href title",
  ExternalImageLink: "href type title",
  Subaccount: "id _links",
  Card: "id _links",
  BankLink: "id _links",
  BankAccount: "id _links",
  CursorLinks: "self next?",
  OffsetLinks: "self next? first last prev?",
  EitherStyleLinks: "self next? first? last? prev?",
  SubaccountPage: "_links _embedded",
  CardPage: "_links _embedded totalItems",
  TransactionPage: "_links _embedded totalItems?",
};

test.each(Object.entries(TABLES))("%s has the fields of its table", (name, table) => {
  const fields = Object.entries(schemas[name]?.properties ?? {}).map(([field, schema]) => {
    const isRequired = schemas[name]?.required?.includes(field);
    return `${field}${isRequired ? "" : "?"}${allowsNull(schema) ? "|null" : ""}`;
  });
  expect(fields.sort()).toEqual(table.split(" ").sort());
});

test.each([
  ["Transaction", "TransactionEvent"],
  ["TransactionMessage", "TransactionMessageEvent"],
  ["CardholderSingleSubscription", "CardholderSingleSubscriptionEvent"],
  ["NetworkBulkSubscription", "NetworkBulkSubscriptionEvent"],
  ["BankFeedSubscription", "BankFeedSubscriptionEvent"],
])("the event of %s has the same fields and metadata", (resource, event) => {
  const { metadata, ...properties } = schemas[event]?.properties ?? {};
  expect(metadata?.$ref).toBe("#/components/schemas/EventMetadata");
  expect(properties).toEqual(schemas[resource]?.properties);
  expect(schemas[event]?.required).toEqual(schemas[resource]?.required);
});

/** The sets to which the interface may add values, with the known values. */
const OPEN_SETS: Record<string, string[]> = {
  TransactionStatus: ["PENDING", "SETTLED"],
  MessageType: ["AUTH_REQU", "FINL_ADVC"],
  MessageResult: ["APPROVED"],
  BankProvider: ["PROVIDER_A", "PROVIDER_B"],
  CardSubscriptionState: ["reqSCA", "active", "deactivated"],
  NetworkBulkFeedState: ["submitted", "active", "failed"],
  BankAccountType: ["credit"],
  MatchFactor: ["Amount", "Date", "Merchant"],
  NetworkCode: ["NETWORK_A", "NETWORK_B", "NETWORK_C", "OPEN_BANKING"],
};

test.each(Object.entries(OPEN_SETS))("%s is an open set", (name, shown) => {
  expect(schemas[name]).toMatchObject({ type: "string", "x-extensible-enum": shown });
  expect(schemas[name]?.enum).toBeUndefined();
});

/** The sets to which the interface adds no value. */
const CLOSED_SETS: Record<string, string[]> = {
  BankAccountState: ["active", "auth_required", "disconnected"],
  Confidence: ["HIGH", "MEDIUM", "LOW"],
  DebitOrCredit: ["debit", "credit"],
  BankTransactionDeletionReason: ["provider_removed", "duplicate_retired"],
  MatchDeletionReason: ["bank_transaction_retired", "rematch_superseded"],
};

test.each(Object.entries(CLOSED_SETS))("%s is a closed set", (name, values) => {
  expect(schemas[name]?.enum).toEqual(values);
});

/** A GET of a bank transaction or match reports another type as a notice. */
const OPEN_TYPES: Record<string, string> = {
  BankTransaction: "bankAccountName currency description merchantName pending transactionType",
  TransactionMatch: "confidence score reasons matches",
  ListedCardTransaction: "currency descriptor source",
  ListedBankTransaction: "bankAccountName currency source description",
  ListedMatchReason: "type score message",
};

test.each(Object.entries(OPEN_TYPES))(
  "%s has open types except for ids, dates and amounts",
  (name, open) => {
    const { type, properties = {} } = schemas[name] ?? {};
    const marked = Object.entries(properties).filter(([, schema]) => schema["x-extensible-type"]);
    expect(marked.map(([field]) => field)).toEqual(open.split(" "));
    expect(marked.filter(([, schema]) => schema.type ?? schema.$ref ?? schema.enum)).toEqual([]);
    expect(type).toBe(name.startsWith("Listed") ? undefined : "object");
  },
);

test("the description of a property lists the known values of its open set", () => {
  const silent: string[] = [];
  for (const [name, { properties = {} }] of Object.entries(schemas)) {
    for (const [field, schema] of Object.entries(properties)) {
      const type = schema.$ref ? schemas[schema.$ref.replace(/.*\//, "")] : schema;
      const shown = (type?.["x-extensible-enum"] ?? []) as string[];
      // Descriptions mention a network only for its role.
      if (field === "network") continue;
      const missing = shown.filter((value) => !schema.description?.includes(`\`${value}\``));
      if (missing.length > 0) silent.push(`${name}.${field}: ${missing.join(", ")}`);
    }
  }
  expect(silent).toEqual([]);
});

test("every named schema and each of its properties has a description", () => {
  const bare: string[] = [];
  const visit = (schema: Schema, at: string): void => {
    if (!schema.description) bare.push(at);
    for (const [name, child] of Object.entries(schema.properties ?? {}))
      visit(child, `${at}/${name}`);
  };
  for (const [name, schema] of Object.entries(schemas)) visit(schema, name);
  expect(bare).toEqual([]);
});

function allowsNull({ type: certain, anyOf, "x-extensible-type": shown }: Schema): boolean {
  const type = certain ?? (shown as Schema["type"]);
  return type === "null" || type?.includes("null") || anyOf?.some(allowsNull) || false;
}
