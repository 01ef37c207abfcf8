export * from "./contract/index.ts";
export {
  BodyConsumedError,
  BodyIncompleteError,
  type ErrorCode,
  FileError,
  NotInstalledError,
  NotStartedError,
  PortInUseError,
  RefusedCredentialsError,
  TxfeedError,
  UnreachableError,
  UnverifiedError,
  UsageError,
} from "./errors.ts";
