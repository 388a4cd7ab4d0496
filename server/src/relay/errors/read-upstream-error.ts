import { UpstreamError } from './upstream-error.js';

type Fields = Record<string, unknown>;

const asFields = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;

const asText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/**
 * Reads an error response of any provider (docs/reference/relay/errors.md#upstream-errors): `error` as an object or
 * text, the array form, `detail`, `errors[]` and the flat forms. An unreadable one becomes `bad response status code
 * N`.
 */
export function toUpstreamError(status: number, body: Buffer | string, retryAfter?: string): UpstreamError {
  const found = readError(parsed(body));
  return new UpstreamError(status, {
    message: found?.message || `bad response status code ${status}`,
    type: found?.type ?? 'upstream_error',
    param: found && 'param' in found ? found.param : String(status),
    code: found && 'code' in found ? found.code : 'bad_response_status_code',
    ...(retryAfter ? { retryAfter } : {}),
  });
}

interface FoundError {
  readonly message: string;
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | number | null;
}

/** @returns null when the value contains no error */
export function readError(value: unknown): FoundError | null {
  const root = asFields(Array.isArray(value) ? (value[0] as unknown) : value);
  if (!root) return null;
  const error = asFields(root['error']);
  if (error && (asText(error['message']) || asText(error['type']) || asText(error['code'])))
    return ofErrorObject(error);
  const message =
    asText(root['error']) ||
    asText(root['message']) ||
    asText(root['msg']) ||
    asText(root['err']) ||
    asText(root['error_msg']) ||
    asText(asFields(root['header'])?.['message']) ||
    asText(asFields(asFields(root['response'])?.['error'])?.['message']) ||
    detailText(root['detail']) ||
    detailText(root['errors']);
  return message ? { message } : null;
}

function ofErrorObject(error: Fields): FoundError {
  const { param, code } = error;
  return {
    message: asText(error['message']) || asText(error['type']) || asText(error['code']),
    type: asText(error['type']) || 'upstream_error',
    param: typeof param === 'string' || param === null ? param : null,
    code: typeof code === 'string' || typeof code === 'number' || code === null ? code : null,
  };
}

/** `detail: "text"` or a list of objects with `msg` or `message`. */
function detailText(detail: unknown): string {
  if (typeof detail === 'string') return detail.trim();
  if (!Array.isArray(detail)) return asText(asFields(detail)?.['message']);
  const first = asFields(detail[0]);
  return asText(first?.['msg']) || asText(first?.['message']);
}

function parsed(body: Buffer | string): unknown {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return null;
  }
}
