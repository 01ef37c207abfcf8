export { AccessTokenError, type AccessTokenErrorCode } from "./error.ts";
export type { OpenFormParameters } from "./get-access-token.ts";
export {
  type Clock,
  createGetAccessToken,
  type GetAccessTokenOptions,
} from "./get-access-token.ts";
