export { createMockTransport, type MockTransport } from "./mock-transport.ts";
export type {
  MockOverride,
  MockOverrides,
  MockReply,
  MockResponse,
  MockStatus,
} from "./overrides.ts";
export type {
  AnyRecordedCall,
  ParameterOf,
  RecordedCall,
  UnknownCall,
} from "./recorded-call.ts";
