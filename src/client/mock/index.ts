export { createMockTransport, type MockTransport } from "./mock-transport.ts";
export type {
  MockAnswer,
  MockOverride,
  MockOverrides,
  MockReply,
  MockStatus,
} from "./overrides.ts";
export type {
  AnyRecordedCall,
  ParameterOf,
  RecordedCall,
  UnknownCall,
} from "./recorded-call.ts";
