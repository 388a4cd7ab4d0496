import type { ChannelDetailFragment, CreateChannelInput } from './channels.generated.js';

/* Tables of a channel as the editor shows them: JSON text, empty for none. The texts must be valid JSON. */

/** `{ "a": "b" }` as `[['a', 'b']]`. */
export const pairsOf = (text: string): Array<[string, string]> =>
  Object.entries(objectOf(text)).map(([from, to]) => [from, String(to)]);

export const textOfPairs = (
  pairs: ReadonlyArray<{ readonly from: string | number; readonly to: string | number }>,
): string => (pairs.length === 0 ? '' : toText(Object.fromEntries(pairs.map(({ from, to }) => [from, String(to)]))));

export const parametersOf = (text: string): unknown => (text.trim() === '' ? null : JSON.parse(text));
export const textOfParameters = (parameters: unknown): string => (parameters == null ? '' : toText(parameters));

/** Returns the cost; null for the list price. */
export function costOf({ costFactor, costCards }: CostTexts): CreateChannelInput['cost'] {
  const [factor, cards] = [costFactor.trim(), costCards.trim()];
  if (factor === '' && cards === '') return null;
  return { factor: factor === '' ? 1 : Number(factor), cards: cards === '' ? null : (JSON.parse(cards) as unknown) };
}

interface CostTexts {
  readonly costFactor: string;
  readonly costCards: string;
}

export const textOfCards = (cards: unknown): string =>
  isJsonObject(cards) && Object.keys(cards).length > 0 ? toText(cards) : '';

/** The editor uses the names of the REST API, because documents of this family of programs use them. */
export function settingOf(text: string): CreateChannelInput['setting'] {
  if (text.trim() === '') return null;
  const { proxy, force_format, thinking_to_content, stream_support, ...more } = objectOf(text);
  return {
    proxy: typeof proxy === 'string' ? proxy : null,
    forceFormat: force_format === true,
    thinkingToContent: thinking_to_content === true,
    nonStreamOnly: typeof stream_support === 'string' && stream_support.toUpperCase() === 'NON_STREAM_ONLY',
    more: Object.keys(more).length > 0 ? more : null,
  };
}

export function textOfSetting(setting: ChannelDetailFragment['setting']): string {
  const shown = {
    ...(setting.proxy ? { proxy: setting.proxy } : {}),
    ...(setting.forceFormat ? { force_format: true } : {}),
    ...(setting.thinkingToContent ? { thinking_to_content: true } : {}),
    ...(setting.nonStreamOnly ? { stream_support: 'NON_STREAM_ONLY' } : {}),
    ...(setting.more as object | null),
  };
  return Object.keys(shown).length === 0 ? '' : toText(shown);
}

export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isAbsentOr =
  (type: 'string' | 'boolean') =>
  (value: unknown): boolean =>
    value == null || typeof value === type;

/**
 * Whether `settingOf` keeps all values. A value of another type, such as the text "true", would be dropped silently.
 */
export const isSetting = (value: unknown): boolean =>
  isJsonObject(value) &&
  [value['proxy'], value['stream_support']].every(isAbsentOr('string')) &&
  [value['force_format'], value['thinking_to_content']].every(isAbsentOr('boolean'));

export const isTextTable = (value: unknown): boolean =>
  isJsonObject(value) && Object.values(value).every((entry) => typeof entry === 'string');

export const isStatusTable = (value: unknown): boolean =>
  isJsonObject(value) &&
  Object.entries(value)
    .flat()
    .every((code) => /^[1-5]\d\d$/.test(String(code)));

const endpointNames: ReadonlySet<string> = new Set([
  ...['chat', 'responses', 'messages', 'completions', 'embeddings', 'moderations', 'rerank', 'images', 'imageEdits'],
  ...['speech', 'transcription', 'translation'],
]);

/** `{ "endpoints": { "chat": "/path" }, "auth": { "header": "x-key", "scheme": "Bearer" } }`; the server checks again. */
export const isEndpointTable = (value: unknown): boolean => {
  if (!isJsonObject(value) || !isTextTable(value['endpoints'])) return false;
  const { endpoints, auth = {}, ...more } = value as { endpoints: Record<string, string>; auth?: unknown };
  return (
    Object.keys(more).length === 0 &&
    Object.entries(endpoints).every(([name, path]) => endpointNames.has(name) && path.startsWith('/')) &&
    isTextTable(auth)
  );
};

function objectOf(text: string): Record<string, unknown> {
  const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
  return isJsonObject(value) ? value : {};
}

const toText = (value: unknown): string => JSON.stringify(value, null, 2);

/** The typed text of a field; empty for fields of another kind. */
export const typedText = (value: unknown): string => (typeof value === 'string' ? value : '');
