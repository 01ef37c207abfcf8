export { AccessTokenError, type AccessTokenErrorCode } from "./error.ts";
export {
  type Clock,
  createGetAccessToken,
  type GetAccessTokenOptions,
  type OpenFormParameters,
} from "./get-access-token.ts";
