export { AccessTokenError, type AccessTokenErrorCode } from "./error.ts";
export {
  type Clock,
  createGetAccessToken,
  type GetAccessTokenOptions,
} from "./get-access-token.ts";
export type { OpenFormParameters } from "./open-form.ts";
