import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { InvalidInputError, isAppError, UnavailableError, type AppError, type ErrorCode } from '../../shared/errors.js';
import { isDatabaseUnavailable, isUnstorableValue } from '../../shared/postgres-error.js';

/**
 * Whether GraphQL clients may see the text of a failure. True for every expected failure except those that hide a
 * defect.
 */
const shown: Record<ErrorCode, boolean> = {
  INVALID_INPUT: true,
  NOT_FOUND: true,
  CONFLICT: true,
  PAYLOAD_TOO_LARGE: true,
  UNSUPPORTED_MEDIA_TYPE: true,
  NOT_IMPLEMENTED: true,
  NOT_SIGNED_IN: true,
  INVALID_ACCESS_TOKEN: true,
  USER_ID_MISMATCH: true,
  USER_BANNED: true,
  INSUFFICIENT_PRIVILEGES: true,
  INVALID_CREDENTIALS: true,
  ALREADY_SET_UP: true,
  SETUP_CODE_NEEDED: true,
  SECOND_FACTOR_NEEDED: true,
  SECOND_FACTOR_REQUIRED: true,
  CONFIRMATION_NEEDED: true,
  MISSING_API_KEY: true,
  INVALID_API_KEY: true,
  TOKEN_EXPIRED: true,
  TOKEN_DISABLED: true,
  TOKEN_QUOTA_EXHAUSTED: true,
  CHANNEL_PIN_FORBIDDEN: true,
  IP_NOT_ALLOWED: true,
  KEY_SCOPE_MISSING: true,
  GROUP_NOT_ALLOWED: true,
  GROUP_DEPRECATED: true,
  MODEL_NOT_ALLOWED: true,
  INVALID_CHANNEL_ID: true,
  CHANNEL_DISABLED: true,
  NO_CHANNEL: true,
  MODEL_NOT_FOUND: true,
  MODEL_NOT_PRICED: true,
  TOOL_NOT_PRICED: true,
  MODEL_MAPPING_INVALID: true,
  UNSUPPORTED_BY_CHANNEL: true,
  BROWSER_EXTENSION_BLOCKED: true,
  SENSITIVE_WORDS: true,
  GUARDRAIL_BLOCKED: true,
  INSUFFICIENT_QUOTA: true,
  INSUFFICIENT_TOKEN_QUOTA: true,
  BUDGET_EXCEEDED: true,
  RATE_LIMITED: true,
  UPSTREAM_ERROR: true,
  UPSTREAM_UNREACHABLE: true,
  UPSTREAM_INVALID_RESPONSE: true,
  UPSTREAM_TIMEOUT: true,
  SERVICE_UNAVAILABLE: true,
  INTERNAL_ERROR: false,
};

/** Codes of Apollo for invalid documents. Their messages name fields and types, never values. */
const documentCodes = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
  'QUERY_TOO_EXPENSIVE',
]);

const toKnown = (error: unknown): unknown =>
  isUnstorableValue(error) ? new InvalidInputError('Invalid parameter') : error;

/** Returns the error that a plugin threw before any field was resolved. */
const foreseenCause = (thrown: unknown): AppError | null =>
  thrown instanceof GraphQLError && isAppError(thrown.originalError) ? thrown.originalError : null;

/** @param report receives errors that the caller must not see, for the log */
export const formatErrors =
  (report: (error: unknown) => void) =>
  (formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError => {
    const original = foreseenCause(thrown) ?? unwrapResolverError(thrown);
    const isUnavailable = isDatabaseUnavailable(original);
    const error = isUnavailable
      ? new UnavailableError('The database is unavailable. Try again shortly.')
      : toKnown(original);
    if (isUnavailable) report(original);
    const place = {
      ...(formatted.locations && { locations: formatted.locations }),
      ...(formatted.path && { path: formatted.path }),
    };
    if (isAppError(error) && shown[error.code]) {
      const { code, field, retryAfterSeconds } = error;
      return {
        message: error.message,
        ...place,
        extensions: { code, ...(field && { field }), ...(retryAfterSeconds && { retryAfterSeconds }) },
      };
    }
    const code = formatted.extensions?.['code'];
    if (typeof code === 'string' && documentCodes.has(code)) {
      // The limits of Armor are no errors of syntax, although their messages begin so.
      const isLimit = code === 'GRAPHQL_VALIDATION_FAILED';
      const message = isLimit ? formatted.message.replace(/^Syntax Error: /, '') : formatted.message;
      return { message: withoutValue(message), ...place, extensions: { code } };
    }
    report(error);
    return { message: 'Internal error', ...place, extensions: { code: 'INTERNAL_ERROR' } };
  };

/**
 * Removes the value, which may be a password, from messages such as `Variable "$input" got invalid value {…} at …;
 * Field "x" is required`.
 */
const withoutValue = (message: string): string =>
  message
    .replace(/(cannot represent[^:]*): [\s\S]*$/, '$1')
    .replace(/Value "[\s\S]*" does not exist/, 'Value does not exist')
    // The expression is greedy, because the value itself may contain the text that follows it.
    .replace(/(got invalid value) [\s\S]*?((?: at "[^"]*")?; )(?![\s\S]*; )/, '$1$2');
