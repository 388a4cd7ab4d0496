import i18next from 'i18next';
import { chosenZone } from './reader.js';
import { wallClockOf, type Zone } from './zone.js';

/**
 * Formats of amounts, counts, times and durations. `useFormat` binds amounts to the settings of the site and the reader;
 * times are those of the reader's zone.
 */

export interface CurrencyDisplay {
  /** Quota of 1 USD. */
  readonly quotaPerUnit: number;
  readonly symbol: string;
  /** Units of the currency for 1 USD. */
  readonly rate: number;
}

/** How a language writes numbers and dates. */
interface Writing {
  /** Separator of thousands, and of decimals. */
  readonly group: string;
  readonly point: string;
  /** Whether the symbol of a currency stands behind the amount. */
  readonly symbolBehind: boolean;
  /** The blank between a number and its per cent sign, or nothing. */
  readonly percentGap: string;
  /** A date with `y`, `m` and `d` for its parts, and without its year or its day. */
  readonly day: string;
  readonly monthDay: string;
  readonly month: string;
  readonly units: Readonly<Record<TimeUnit, string>>;
}

type TimeUnit = 'ms' | 's' | 'min' | 'h';

const plain: Writing = {
  group: ',',
  point: '.',
  symbolBehind: false,
  percentGap: '',
  day: 'y-m-d',
  monthDay: 'm-d',
  month: 'y-m',
  units: { ms: 'ms', s: 's', min: 'min', h: 'h' },
};
const writings: Readonly<Record<string, Writing>> = {
  ja: { ...plain, day: 'y/m/d', monthDay: 'm/d', month: 'y/m' },
  fr: {
    ...plain,
    group: '\u202f',
    point: ',',
    symbolBehind: true,
    percentGap: '\u00a0',
    day: 'd/m/y',
    monthDay: 'd/m',
    month: 'm/y',
  },
  ru: {
    ...plain,
    group: '\u00a0',
    point: ',',
    symbolBehind: true,
    percentGap: '\u00a0',
    day: 'd.m.y',
    monthDay: 'd.m',
    month: 'm.y',
    units: { ms: 'мс', s: 'с', min: 'мин', h: 'ч' },
  },
  vi: { ...plain, group: '.', point: ',', symbolBehind: true, day: 'd/m/y', monthDay: 'd/m', month: 'm/y' },
};
const writing = (): Writing => writings[i18next.language] ?? plain;

/** Writes a number of the form `-1,284.31` as the reader's language does. */
function written(text: string): string {
  const { group, point } = writing();
  return point === '.' ? text : text.replace(/[,.]/g, (mark) => (mark === ',' ? group : point));
}

const fixed = (digits: number) =>
  new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const formats = new Map<number, Intl.NumberFormat>();

function formatOf(digits: number): Intl.NumberFormat {
  const known = formats.get(digits) ?? fixed(digits);
  formats.set(digits, known);
  return known;
}

/**
 * The largest relative error when a number is multiplied by a power of ten. The error can move a number from below a
 * half onto it.
 */
const shift = 2 ** -51;

/** Formats a number in the reader's language, `1,284.31` in English: never `-0.00`, halves rounded up in magnitude. */
export const decimal = (value: number, digits: number): string => written(englishDecimal(value, digits));

/**
 * The result equals that of `Intl.NumberFormat`, whose set-up on a phone takes longer than formatting a page of numbers
 * here.
 */
function englishDecimal(value: number, digits: number): string {
  const size = Math.abs(value);
  const exact = Number(`${size}e${digits}`);
  // The comparison is false for NaN and infinity as well.
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

/** Formats an amount: `¥0.20`, `-$1.00`, and in languages that put the symbol behind it `0,20 ¥`. */
export const amountIn = (symbol: string, value: number, digits: number): string =>
  withSymbol(symbol, decimal(value, digits));

function withSymbol(symbol: string, text: string): string {
  if (writing().symbolBehind) return `${text}\u00a0${symbol}`;
  return text.startsWith('-') ? `-${symbol}${text.slice(1)}` : `${symbol}${text}`;
}

/** Formats USD: `$0.027390`, `-$1.00`. */
export const dollars = (value: number, digits: number): string => amountIn('$', value, digits);

const currencies = new Map<string, Intl.NumberFormat>();

/** Formats an amount of an ISO 4217 currency with its number of decimals: `¥146.00`, `€1,284.31`, `¥1,000` of JPY. */
export const moneyOf = (value: number, currency: string): string =>
  // Japanese has a wide sign, beside the narrow one of all other amounts.
  currencyFormat(currency).format(value).replace('￥', '¥');

function currencyFormat(currency: string): Intl.NumberFormat {
  const locale = writing() === plain ? 'en-US' : i18next.language;
  const name = `${locale} ${currency}`;
  const known =
    currencies.get(name) ??
    new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
  currencies.set(name, known);
  return known;
}

export type MoneyKind =
  /** Balances, totals, top-ups: 2 decimals, and the first 2 digits of less than half a cent. */
  | 'balance'
  /** Cost of one call: always 6 decimals. */
  | 'charge'
  /** All other amounts: 6 decimals below one unit, or else 2. */
  | 'amount';

/** A quota amount in the currency of the display. */
export function money(quota: number, kind: MoneyKind, { quotaPerUnit, symbol, rate }: CurrencyDisplay): string {
  const value = (quota / quotaPerUnit) * rate;
  if (kind === 'balance') return amountIn(symbol, value, balanceDigits(value));
  if (kind === 'charge') return amountIn(symbol, value, 6);
  return amountIn(symbol, value, value !== 0 && Math.abs(value) < 1 ? 6 : 2);
}

/** A total in USD, with the decimals of a balance: the same amount looks the same wherever it stands. */
export const total = (usd: number, { symbol, rate }: Pick<CurrencyDisplay, 'symbol' | 'rate'>): string =>
  amountIn(symbol, usd * rate, balanceDigits(usd * rate));

/** Returns decimals such that only 0 is shown as 0, because the first calls of a site cost less than a cent. */
function balanceDigits(value: number): number {
  const size = Math.abs(value);
  return size >= 5e-7 && size < 0.005 ? Math.min(6, 1 - Math.floor(Math.log10(size))) : 2;
}

/** Formats a price exactly: at least so many decimals, and up to 6 if it has them. */
function exactPrice(value: number, least: number): string {
  const decimals = value.toFixed(6).replace(/0+$/, '').split('.')[1] ?? '';
  return dollars(value, Math.max(least, decimals.length));
}

/** USD per million tokens: at least 2 decimals, 3 below ten cents. */
export const unitPrice = (value: number): string => exactPrice(value, value > 0 && value < 0.1 ? 3 : 2);

/** USD per call: at least 2 decimals, 3 below ten cents. */
export const callPrice = (value: number): string => exactPrice(value, value < 0.1 ? 3 : 2);

/** Formats a count: with commas below 10,000, then `12.2k`, `1.92M`, `3.40B`. */
export function count(value: number): string {
  const size = Math.abs(value);
  if (size >= 999_995_000) return `${decimal(value / 1e9, 2)}B`;
  if (size >= 999_950) return `${decimal(value / 1e6, 2)}M`;
  if (size >= 10_000) return `${decimal(value / 1e3, 1)}k`;
  return integer(value);
}

/** Formats a limit of a model, such as its context window: `128k`, `1.05M`, without the trailing zeros of `count`. */
export const limit = (value: number): string => count(value).replace(/[.,]?0+(?=[kMB]$)/, '');

/** Formats a number of a unit of time: `21 s`, `412 ms`. */
export const timeIn = (unit: TimeUnit, value: number, digits = 0): string =>
  `${decimal(value, digits)} ${writing().units[unit]}`;

/** Formats a duration: `412 ms`, from one second `3.0 s`, from ten `21 s`. */
export const duration = (seconds: number): string =>
  Math.abs(seconds) < 0.9995 ? timeIn('ms', seconds * 1000) : timeIn('s', seconds, Math.abs(seconds) < 9.95 ? 1 : 0);

/** Formats a channel's response time: `640 ms`, from one second `1.82 s`. */
export const responseTime = (milliseconds: number): string =>
  milliseconds < 1000 ? timeIn('ms', milliseconds) : timeIn('s', milliseconds / 1000, 2);

const lists = new Map<string, Intl.ListFormat>();

function listFormat(): Intl.ListFormat {
  const { language } = i18next;
  // Narrow lists have separators only, without "and". Those of the type `unit` have none in Chinese, Japanese and Russian.
  const known = lists.get(language) ?? new Intl.ListFormat(language, { style: 'narrow' });
  lists.set(language, known);
  return known;
}

/** Formats names within a sentence: `gpt-4o, o3`, in Chinese `gpt-4o、o3`. */
export const listText = (names: readonly string[]): string => listFormat().format(names);

/** The names and the separators of `listText`, for names that are links. */
export const listParts = (names: readonly string[]): ReturnType<Intl.ListFormat['formatToParts']> =>
  listFormat().formatToParts(names);

export const percent = (share: number, digits = 0): string => `${decimal(share * 100, digits)}${writing().percentGap}%`;

/** The text of a number in a field: `0.625`, with up to 12 significant digits, and never with an exponent, which fields refuse. */
export function editable(value: number): string {
  const rounded = Number(value.toPrecision(12));
  return Math.abs(rounded) < 1e-6 ? rounded.toFixed(20).replace(/\.?0+$/, '') : String(rounded);
}

/** Formats a ratio with the digits that are stored: `0.625`. */
export const ratio = (value: number): string => written(editable(value));

/** Formats a share with the digits that are stored: `90%`, `12.5%`. */
export const exactPercent = (share: number): string => `${ratio(share * 100)}${writing().percentGap}%`;

/** Formats a price in USD with the digits that are stored: `$0.0375`. */
export const exactDollars = (value: number): string => withSymbol('$', ratio(value));

export type TimeDetail = 'seconds' | 'minutes' | 'card' | 'day' | 'monthDay' | 'month';

/**
 * Formats a time in the reader's zone and language, in English `2025-11-20 14:32:08`, `2025-11-20 14:32`, `11-20 14:32`, `2025-11-20`,
 * `11-20`, `2025-11`; a dash for none.
 */
export function dateTime(
  value: Date | string | number | null,
  detail: TimeDetail = 'minutes',
  zone: Zone = chosenZone(),
): string {
  const date = value instanceof Date ? value : new Date(value ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '–';
  const two = (part: number) => String(part).padStart(2, '0');
  const clock = wallClockOf(date, zone);
  const parts: Record<string, string> = { y: String(clock.year), m: two(clock.month), d: two(clock.day) };
  const form = writing();
  const dateIn = (pattern: string) => pattern.replace(/[ymd]/g, (part) => parts[part] ?? '');
  if (detail === 'day' || detail === 'monthDay' || detail === 'month') return dateIn(form[detail]);
  const minutes = `${two(clock.hour)}:${two(clock.minute)}`;
  if (detail === 'card') return `${dateIn(form.monthDay)} ${minutes}`;
  return detail === 'seconds'
    ? `${dateIn(form.day)} ${minutes}:${two(clock.second)}`
    : `${dateIn(form.day)} ${minutes}`;
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** Formats a time as `5 minutes ago`, for tooltips only. */
export function relativeTime(value: Date | string | number, language: string, now = Date.now()): string {
  const seconds = (new Date(value).getTime() - now) / 1000;
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return words.format(Math.round(seconds / size), unit);
  }
  return words.format(Math.round(seconds), 'second');
}

/** Masks a key as `sk-Jx4…9dQe`: enough to distinguish keys, not enough to use one. */
export const maskKey = (key: string): string => (key.length <= 12 ? '••••' : `${key.slice(0, 6)}…${key.slice(-4)}`);
