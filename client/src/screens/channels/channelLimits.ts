/** Limits and timeouts of a channel as the editor has them: typed text by field. The server has them as JSON objects. */

/** Fields of the form and their names in the JSON object. */
const limitNames = {
  requestsPerMinute: 'requests_per_minute',
  tokensPerMinute: 'tokens_per_minute',
  concurrentCalls: 'concurrent_calls',
  dailyUsd: 'daily_usd',
  monthlyUsd: 'monthly_usd',
} as const;
const timeoutNames = { firstByte: 'first_byte_seconds', idle: 'idle_seconds', total: 'total_seconds' } as const;

export type LimitName = keyof typeof limitNames;
export type TimeoutName = keyof typeof timeoutNames;
export const limitFields = Object.keys(limitNames) as LimitName[];
export const timeoutFields = Object.keys(timeoutNames) as TimeoutName[];
export const limitScopes = ['channel', 'key'] as const;
type LimitScope = (typeof limitScopes)[number];

export type LimitValues = Record<LimitScope, Record<LimitName, string>>;
export type TimeoutValues = Record<TimeoutName, string>;

/** The largest limit, and the longest timeout in seconds, that the server takes. */
const largestLimit = 1e12;
export const longestTimeout = 86_400;

export const noLimits: LimitValues = {
  channel: { requestsPerMinute: '', tokensPerMinute: '', concurrentCalls: '', dailyUsd: '', monthlyUsd: '' },
  key: { requestsPerMinute: '', tokensPerMinute: '', concurrentCalls: '', dailyUsd: '', monthlyUsd: '' },
};
export const noTimeouts: TimeoutValues = { firstByte: '', idle: '', total: '' };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function textsOf<Name extends string>(names: Readonly<Record<Name, string>>, given: unknown): Record<Name, string> {
  const from = isObject(given) ? given : {};
  const entries = (Object.keys(names) as Name[]).map((name) => {
    const value = from[names[name]];
    return [name, typeof value === 'number' ? String(value) : ''] as const;
  });
  return Object.fromEntries(entries) as Record<Name, string>;
}

/** @returns null without any number */
function numbersOf<Name extends string>(
  names: Readonly<Record<Name, string>>,
  texts: Readonly<Record<Name, string>>,
): Record<string, number> | null {
  const entries = (Object.keys(names) as Name[])
    .filter((name) => texts[name].trim() !== '')
    .map((name) => [names[name], Number(texts[name])] as const);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

export function limitTexts(given: unknown): LimitValues {
  const scopes = isObject(given) ? given : {};
  return { channel: textsOf(limitNames, scopes['channel']), key: textsOf(limitNames, scopes['key']) };
}

export const timeoutTexts = (given: unknown): TimeoutValues => textsOf(timeoutNames, given);

export function limitsOf(values: LimitValues): Record<string, Record<string, number>> | null {
  const [channel, key] = [numbersOf(limitNames, values.channel), numbersOf(limitNames, values.key)];
  return channel || key ? { ...(channel && { channel }), ...(key && { key }) } : null;
}

export const timeoutsOf = (values: TimeoutValues): Record<string, number> | null => numbersOf(timeoutNames, values);

/** Whether a limit is an amount. Costs have fractions; all other limits are whole numbers. */
export const isAmount = (name: LimitName): boolean => name === 'dailyUsd' || name === 'monthlyUsd';

/** Whether the server takes the text, or it is empty. */
export function isLimit(name: LimitName, text: string): boolean {
  const given = text.trim();
  if (given === '') return true;
  const form = isAmount(name) ? /^\d{1,13}(?:\.\d{1,6})?$/ : /^\d{1,13}$/;
  return form.test(given) && Number(given) > 0 && Number(given) <= largestLimit;
}

export function isTimeout(text: string): boolean {
  const given = text.trim();
  if (given === '') return true;
  return /^\d{1,5}(?:\.\d{1,3})?$/.test(given) && Number(given) > 0 && Number(given) <= longestTimeout;
}
