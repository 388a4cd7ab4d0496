import { UpstreamError } from './upstream-error.js';
import { asFields, asFieldsList, asText, parseJson, type Fields } from '../neutral/fields.js';

const trimmed = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/**
 * Reads an error response of any provider (docs/reference/relay/errors.md#upstream-errors): `error` as an object or
 * text, the array form, `detail`, `errors[]` and the flat forms. An unreadable one becomes `bad response status code
 * N`.
 */
export function toUpstreamError(status: number, body: Buffer | string, retryAfter?: string): UpstreamError {
  const value = parseJson(body.toString());
  const found = readError(value);
  const after = retryAfter ?? googleDelay(value);
  return new UpstreamError(status, {
    message: found?.message || `bad response status code ${status}`,
    type: found?.type ?? 'upstream_error',
    param: found && 'param' in found ? found.param : String(status),
    code: found && 'code' in found ? found.code : 'bad_response_status_code',
    ...(after ? { retryAfter: after } : {}),
  });
}

/** Google sends no `Retry-After`: the delay is a detail of its error. @returns whole seconds */
function googleDelay(value: unknown): string | undefined {
  const root = asFields(Array.isArray(value) ? (value[0] as unknown) : value);
  for (const detail of asFieldsList(asFields(root?.['error'])?.['details'])) {
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(asText(detail['retryDelay']))?.[1];
    if (Number(seconds) > 0) return String(Math.ceil(Number(seconds)));
  }
  return undefined;
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
  if (error && (trimmed(error['message']) || trimmed(error['type']) || trimmed(error['code'])))
    return ofErrorObject(error);
  const message =
    trimmed(root['error']) ||
    trimmed(root['message']) ||
    trimmed(root['msg']) ||
    trimmed(root['err']) ||
    trimmed(root['error_msg']) ||
    trimmed(asFields(root['header'])?.['message']) ||
    trimmed(asFields(asFields(root['response'])?.['error'])?.['message']) ||
    detailText(root['message']) ||
    detailText(root['detail']) ||
    detailText(root['errors']);
  return message ? { message } : null;
}

function ofErrorObject(error: Fields): FoundError {
  const { param } = error;
  // Anthropic puts the code that clients act on into the details.
  const code = error['code'] ?? asFields(error['details'])?.['error_code'];
  return {
    message: relayedMessage(error) || trimmed(error['message']) || trimmed(error['type']) || trimmed(error['code']),
    type: trimmed(error['type']) || 'upstream_error',
    param: typeof param === 'string' || param === null ? param : null,
    code: typeof code === 'string' || typeof code === 'number' || code === null ? code : null,
  };
}

/** OpenRouter has the body of its provider beside "Provider returned error" (MassGen#665, December 2025). */
function relayedMessage(error: Fields): string {
  const raw = asFields(error['metadata'])?.['raw'];
  return typeof raw === 'string' ? (readError(parseJson(raw))?.message ?? '') : '';
}

/**
 * `detail: "text"` or a list of objects with `msg` or `message`. Mistral has this list in `message`, also within `detail`
 * (crush#1590, December 2025).
 */
function detailText(detail: unknown): string {
  if (typeof detail === 'string') return detail.trim();
  if (Array.isArray(detail)) return asFieldsList(detail).map(placedText).filter(Boolean).join('\n');
  const fields = asFields(detail);
  return trimmed(fields?.['message']) || (Array.isArray(fields?.['detail']) ? detailText(fields['detail']) : '');
}

/** An error of Pydantic in the words in which Anthropic and others send it: `messages.0.name: Extra inputs are not permitted`. */
function placedText(item: Fields): string {
  const text = trimmed(item['msg']) || trimmed(item['message']);
  const place = Array.isArray(item['loc'])
    ? (item['loc'] as unknown[]).filter((each) => each !== 'body').join('.')
    : '';
  return text && place ? `${place}: ${text}` : text;
}
