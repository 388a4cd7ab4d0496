import { chosenZone } from './reader.js';
import { wallClockOf, type Zone } from './zone.js';

/**
 * Formats of amounts, counts, times and durations. `useFormat` binds amounts to the settings of the site and the reader;
 * times are those of the reader's zone.
 */

export interface CurrencyDisplay {
  /** Quota of 1 USD. */
  readonly quotaPerUnit: number;
  readonly symbol: '$' | '¥';
  /** Units of the currency for 1 USD. */
  readonly rate: number;
}

const fixed = (digits: number) =>
  new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const formats = new Map<number, Intl.NumberFormat>();

function formatOf(digits: number): Intl.NumberFormat {
  const known = formats.get(digits) ?? fixed(digits);
  formats.set(digits, known);
  return known;
}

/** Multiplied with a power of ten, a number can move by this part of it, and so onto a half from below. */
const shift = 2 ** -51;

/**
 * `1,284.31`: thousands separators, never `-0.00`, halves rounded up in magnitude. Same result as `Intl.NumberFormat`, whose
 * set-up takes longer on a phone than formatting a page of numbers here.
 */
export function decimal(value: number, digits: number): string {
  const size = Math.abs(value);
  const exact = Number(`${size}e${digits}`);
  // False for NaN and infinity, too.
  const isClear = Math.abs((exact % 1) - 0.5) > exact * shift;
  if (!isClear)
    return formatOf(digits)
      .format(value)
      .replace(/^-(?=[0.,]+$)/, '');
  const units = Math.round(exact);
  const [whole = '', part] = (units / 10 ** digits).toFixed(digits).split('.');
  const text = whole.replace(/\B(?=(?:\d{3})+$)/g, ',') + (part === undefined ? '' : `.${part}`);
  return value < 0 && units > 0 ? `-${text}` : text;
}

export const integer = (value: number): string => decimal(Math.trunc(value), 0);

/** `¥0.20`, `-$1.00`. */
export function amountIn(symbol: CurrencyDisplay['symbol'], value: number, digits: number): string {
  const text = decimal(value, digits);
  return text.startsWith('-') ? `-${symbol}${text.slice(1)}` : `${symbol}${text}`;
}

/** `$0.027390`, `-$1.00`. */
export const dollars = (value: number, digits: number): string => amountIn('$', value, digits);

const currencies = new Map<string, Intl.NumberFormat>();

/** `¥146.00`, `€1,284.31`, `¥1,000` of JPY: an amount of an ISO 4217 currency, with the decimals that it has. */
export function moneyOf(value: number, currency: string): string {
  const known =
    currencies.get(currency) ??
    new Intl.NumberFormat('en-US', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
  currencies.set(currency, known);
  return known.format(value);
}

export type MoneyKind =
  /** Balances, totals, top-ups: 2 decimals, and the first 2 digits of less than half a cent. */
  | 'balance'
  /** Cost of one call: always 6 decimals. */
  | 'charge'
  /** Elsewhere: 6 decimals below one unit, else 2. */
  | 'amount';

/** A quota amount in the currency of the display. */
export function money(quota: number, kind: MoneyKind, { quotaPerUnit, symbol, rate }: CurrencyDisplay): string {
  const value = (quota / quotaPerUnit) * rate;
  if (kind === 'balance') return amountIn(symbol, value, balanceDigits(value));
  if (kind === 'charge') return amountIn(symbol, value, 6);
  return amountIn(symbol, value, value !== 0 && Math.abs(value) < 1 ? 6 : 2);
}

/** An amount is not shown as 0 unless it is 0: the first calls of a site cost less than a cent. */
function balanceDigits(value: number): number {
  const size = Math.abs(value);
  return size >= 5e-7 && size < 0.005 ? Math.min(6, 1 - Math.floor(Math.log10(size))) : 2;
}

/** A price as it is charged: at least so many decimals, and up to 6 where it has them. */
function exactPrice(value: number, least: number): string {
  const decimals = value.toFixed(6).replace(/0+$/, '').split('.')[1] ?? '';
  return dollars(value, Math.max(least, decimals.length));
}

/** USD per million tokens: at least 2 decimals, 3 below ten cents. */
export const unitPrice = (value: number): string => exactPrice(value, value > 0 && value < 0.1 ? 3 : 2);

/** USD per call: at least 2 decimals, 3 below ten cents. */
export const callPrice = (value: number): string => exactPrice(value, value < 0.1 ? 3 : 2);

/** Full with commas below 10,000, then `12.2k`, `1.92M`, `3.40B`. */
export function count(value: number): string {
  const size = Math.abs(value);
  if (size >= 999_995_000) return `${decimal(value / 1e9, 2)}B`;
  if (size >= 999_950) return `${decimal(value / 1e6, 2)}M`;
  if (size >= 10_000) return `${decimal(value / 1e3, 1)}k`;
  return integer(value);
}

/** A limit that a model states, such as its context window: `128k`, `1.05M`, without the zeros of `count`. */
export const limit = (value: number): string => count(value).replace(/\.?0+(?=[kMB]$)/, '');

/** `412 ms`, from one second `3.0 s`, from ten `21 s`. */
export const duration = (seconds: number): string =>
  Math.abs(seconds) < 0.9995
    ? `${decimal(seconds * 1000, 0)} ms`
    : Math.abs(seconds) < 9.95
      ? `${decimal(seconds, 1)} s`
      : `${decimal(seconds, 0)} s`;

/** A channel's response time: `640 ms`, from one second `1.82 s`. */
export const responseTime = (milliseconds: number): string =>
  milliseconds < 1000 ? `${decimal(milliseconds, 0)} ms` : `${decimal(milliseconds / 1000, 2)} s`;

export const percent = (share: number): string => `${decimal(share * 100, 0)}%`;

/** A ratio as stored: `0.625`, with up to 12 significant digits, never with an exponent that an editor would refuse. */
export function ratio(value: number): string {
  const rounded = Number(value.toPrecision(12));
  return Math.abs(rounded) < 1e-6 ? rounded.toFixed(20).replace(/\.?0+$/, '') : String(rounded);
}

export type TimeDetail = 'seconds' | 'minutes' | 'card' | 'day';

/** Time in the reader's zone: `2025-11-20 14:32:08`, `2025-11-20 14:32`, `11-20 14:32`, `2025-11-20`; a dash for none. */
export function dateTime(
  value: Date | string | number | null,
  detail: TimeDetail = 'minutes',
  zone: Zone = chosenZone(),
): string {
  const date = value instanceof Date ? value : new Date(value ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '–';
  const two = (part: number) => String(part).padStart(2, '0');
  const clock = wallClockOf(date, zone);
  const monthDay = `${two(clock.month)}-${two(clock.day)}`;
  const day = `${clock.year}-${monthDay}`;
  const minutes = `${two(clock.hour)}:${two(clock.minute)}`;
  if (detail === 'day') return day;
  if (detail === 'card') return `${monthDay} ${minutes}`;
  return detail === 'seconds' ? `${day} ${minutes}:${two(clock.second)}` : `${day} ${minutes}`;
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** `5 minutes ago`; for tooltips only. */
export function relativeTime(value: Date | string | number, language: string, now = Date.now()): string {
  const seconds = (new Date(value).getTime() - now) / 1000;
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return words.format(Math.round(seconds / size), unit);
  }
  return words.format(Math.round(seconds), 'second');
}

/** `sk-Jx4…9dQe`: enough to tell keys apart, not enough to use one. */
export const maskKey = (key: string): string => (key.length <= 12 ? '••••' : `${key.slice(0, 6)}…${key.slice(-4)}`);
