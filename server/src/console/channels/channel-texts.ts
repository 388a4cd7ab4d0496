import { InvalidInputError } from '../../shared/errors.js';

/** Typed forms of the JSON texts that a channel stores and that the REST API returns unchanged. */

export interface ModelMapping {
  /** The name that clients request. */
  readonly from: string;
  /** The provider's name. */
  readonly to: string;
}

export interface StatusCodeMapping {
  readonly from: number;
  readonly to: number;
}

export interface ChannelSetting {
  /** URL of an HTTP or SOCKS5 proxy. */
  readonly proxy: string | null;
  readonly forceFormat: boolean;
  readonly thinkingToContent: boolean;
  readonly nonStreamOnly: boolean;
  /** Unknown settings; null when there are none. */
  readonly more: Readonly<Record<string, unknown>> | null;
}

/** Reads the mapping. Entries that are not texts are ignored. */
export const readModelMapping = (text: string): ModelMapping[] =>
  Object.entries(readObject(text) ?? {}).flatMap(([from, to]) => (typeof to === 'string' ? [{ from, to }] : []));

/** @throws InvalidInputError for a model that is mapped twice */
export function writeModelMapping(mapping: readonly ModelMapping[]): string {
  assertDistinct(mapping, 'modelMapping');
  return writePairs(mapping.map(({ from, to }) => [from, to]));
}

/** Reads the mapping. Entries that are not status codes are ignored. */
export const readStatusCodeMapping = (text: string): StatusCodeMapping[] =>
  Object.entries(readObject(text) ?? {})
    .map(([from, to]) => ({ from: Number(from), to: typeof to === 'string' && to.trim() === '' ? NaN : Number(to) }))
    .filter(({ from, to }) => Number.isInteger(from) && Number.isInteger(to));

/** @throws InvalidInputError for an invalid status code, or a code that is mapped twice */
export function writeStatusCodeMapping(mapping: readonly StatusCodeMapping[]): string {
  assertDistinct(mapping, 'statusCodeMapping');
  if (!mapping.every(({ from, to }) => isStatusCode(from) && isStatusCode(to))) {
    throw notStatusCodes();
  }
  return writePairs(mapping.map(({ from, to }) => [String(from), String(to)]));
}

/**
 * Checks the stored JSON.
 * @throws InvalidInputError for an entry that cannot match any response
 */
export function assertStatusCodes(text: string): void {
  const isEntry = ([from, to]: [string, unknown]): boolean =>
    isStatusCode(Number(from)) && (typeof to === 'string' || typeof to === 'number') && isStatusCode(Number(to));
  if (!Object.entries(readObject(text) ?? {}).every(isEntry)) throw notStatusCodes();
}

/** Reads the stored JSON. Unknown fields are kept in `more`; text that is not an object counts as empty. */
export function readSetting(text: string): ChannelSetting {
  const { proxy, force_format, thinking_to_content, stream_support, ...more } = readObject(text) ?? {};
  const nonStreamOnly = typeof stream_support === 'string' && stream_support.toUpperCase() === 'NON_STREAM_ONLY';
  return {
    proxy: typeof proxy === 'string' && proxy !== '' ? proxy : null,
    forceFormat: force_format === true,
    thinkingToContent: thinking_to_content === true,
    nonStreamOnly,
    more: Object.keys(more).length > 0 ? more : null,
  };
}

/**
 * Returns the text of a complete setting.
 * @throws InvalidInputError when `more` is not an object
 */
export function writeSetting({ more, ...known }: Partial<Record<keyof ChannelSetting, unknown>>): string {
  if (more != null && (typeof more !== 'object' || Array.isArray(more))) {
    throw new InvalidInputError('setting.more must be a JSON object', 'setting.more');
  }
  const setting = {
    ...more,
    ...(known.proxy ? { proxy: known.proxy } : {}),
    ...(known.forceFormat ? { force_format: true } : {}),
    ...(known.thinkingToContent ? { thinking_to_content: true } : {}),
    ...(known.nonStreamOnly ? { stream_support: 'NON_STREAM_ONLY' } : {}),
  };
  return Object.keys(setting).length > 0 ? JSON.stringify(setting) : '';
}

export const readParameters = (text: string): unknown => readJson(text) ?? null;
export const writeParameters = (value: unknown): string => (value === null ? '' : JSON.stringify(value));

const notStatusCodes = (): InvalidInputError =>
  new InvalidInputError('Status codes are whole numbers from 100 to 599', 'statusCodeMapping');

const isStatusCode = (code: number): boolean => Number.isInteger(code) && code >= 100 && code <= 599;

function assertDistinct(mapping: ReadonlyArray<{ readonly from: string | number }>, field: string): void {
  if (new Set(mapping.map(({ from }) => from)).size < mapping.length) {
    throw new InvalidInputError('Nothing can be mapped twice', field);
  }
}

/**
 * Writes pairs as a JSON object. The text is written by hand, because objects cannot have an own key `__proto__` and
 * reorder numeric keys.
 */
const writePairs = (pairs: ReadonlyArray<readonly [string, string]>): string =>
  pairs.length === 0 ? '' : `{${pairs.map(([from, to]) => `${JSON.stringify(from)}:${JSON.stringify(to)}`).join(',')}}`;

function readObject(text: string): Record<string, unknown> | null {
  const value = readJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function readJson(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
