import type { CreateChannelInput } from './channels.generated.js';

/** Limits and timeouts of a channel as the editor has them: typed text by field. */

type ChannelInput = Pick<CreateChannelInput, 'limits' | 'timeouts'>;

export const limitFields = [
  ...(['requestsPerMinute', 'tokensPerMinute', 'concurrentCalls', 'dailyUsd', 'monthlyUsd'] as const),
];
export type LimitName = (typeof limitFields)[number];
/** Fields of the form, and their names at the server. */
const timeoutNames = { firstByte: 'firstByteSeconds', idle: 'idleSeconds', total: 'totalSeconds' } as const;
export type TimeoutName = keyof typeof timeoutNames;
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

type ScopeLimits = NonNullable<NonNullable<ChannelInput['limits']>['channel']>;
type Limits = ChannelInput['limits'];
type Timeouts = ChannelInput['timeouts'];

const textOf = (value: number | null | undefined): string => (value == null ? '' : String(value));
const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));

const textsOf = (given: ScopeLimits | null | undefined): LimitValues['channel'] =>
  Object.fromEntries(limitFields.map((name) => [name, textOf(given?.[name])])) as LimitValues['channel'];

/** @returns null without any number */
function numbersOf(texts: LimitValues['channel']): ScopeLimits | null {
  const entries = limitFields
    .map((name) => [name, numberOf(texts[name])] as const)
    .filter(([, value]) => value !== null);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

export const limitTexts = (given: Limits): LimitValues => ({
  channel: textsOf(given?.channel),
  key: textsOf(given?.key),
});

export const timeoutTexts = (given: Timeouts): TimeoutValues => ({
  firstByte: textOf(given?.firstByteSeconds),
  idle: textOf(given?.idleSeconds),
  total: textOf(given?.totalSeconds),
});

export function limitsOf(values: LimitValues): NonNullable<Limits> | null {
  const [channel, key] = [numbersOf(values.channel), numbersOf(values.key)];
  return channel || key ? { ...(channel && { channel }), ...(key && { key }) } : null;
}

export function timeoutsOf(values: TimeoutValues): NonNullable<Timeouts> | null {
  const entries = timeoutFields
    .map((name) => [timeoutNames[name], numberOf(values[name])] as const)
    .filter(([, value]) => value !== null);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

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
