import { z } from 'zod';
import { isZoneName } from '../shared/calendar.js';
import { maxInt32 } from '../shared/limits.js';

/**
 * Type and rules of a setting. On the wire and in the database every value is text
 * (docs/reference/rest/conventions.md#data-types).
 */
export interface OptionDefinition<T> {
  readonly defaultValue: T;
  /** Minimum role that may write the setting: `root` when a value could let an admin become root. */
  readonly writer: 'admin' | 'root';
  /** Whether the value is encrypted at rest and never shown. */
  readonly secret: boolean;
  /** How the console edits the setting. */
  readonly kind: 'boolean' | 'integer' | 'decimal' | 'text' | 'list' | 'json';
  /** @throws OptionValueError */
  parse(text: string): T;
  /** Returns the text that `parse` reads; it is stored and shown. */
  toText(value: T): string;
}

/** The error of an invalid value. It states the expected format, never the given value. */
export class OptionValueError extends Error {}

type Table<T> = Readonly<Record<string, T>>;

const definition = <T>(
  kind: OptionDefinition<T>['kind'],
  defaultValue: T,
  parse: (text: string) => T,
  toText: (value: T) => string,
): OptionDefinition<T> => ({ defaultValue, writer: 'admin', secret: false, kind, parse, toText });

export const rootOnly = <T>(option: OptionDefinition<T>): OptionDefinition<T> => ({ ...option, writer: 'root' });

export const flag = (defaultValue: boolean): OptionDefinition<boolean> =>
  definition('boolean', defaultValue, parseBoolean, String);

export const whole = (defaultValue: number, low = 0, high = maxInt32): OptionDefinition<number> =>
  definition(
    'integer',
    defaultValue,
    (text) => {
      const value = within(parseNumber(text), low, high);
      if (!Number.isInteger(value)) throw new OptionValueError('must be a whole number');
      return value;
    },
    String,
  );

export interface DecimalRange {
  readonly min?: number;
  readonly above?: number;
  readonly max?: number;
}

export const decimal = (defaultValue: number, { min, above, max = 1e12 }: DecimalRange): OptionDefinition<number> =>
  definition(
    'decimal',
    defaultValue,
    (text) => {
      const value = parseNumber(text);
      if (above !== undefined && value <= above) throw new OptionValueError(`must be above ${above}`);
      return within(value, min ?? above ?? 0, max);
    },
    String,
  );

export const text = (defaultValue = '', maxLength = 1000): OptionDefinition<string> =>
  definition('text', defaultValue, (value) => atMost(value.trim(), maxLength), String);

/** An ISO 4217 code, stored in capitals. Currencies with three decimals are not offered by every payment gateway. */
export const currencyCode = (defaultValue: string): OptionDefinition<string> =>
  definition(
    'text',
    defaultValue,
    (value) => {
      const code = value.trim().toUpperCase();
      const isKnown = Intl.supportedValuesOf('currency').includes(code);
      const format = isKnown ? new Intl.NumberFormat('en', { style: 'currency', currency: code }) : null;
      if ((format?.resolvedOptions().maximumFractionDigits ?? 3) > 2) {
        throw new OptionValueError('must be the code of a currency with at most two decimals, such as USD');
      }
      return code;
    },
    String,
  );

/** The name of an IANA time zone. */
export const zoneName = (): OptionDefinition<string> =>
  definition(
    'text',
    'UTC',
    (value) => {
      if (!isZoneName(value.trim())) throw new OptionValueError('must be the name of a time zone, such as Asia/Tokyo');
      return value.trim();
    },
    String,
  );

/** A Markdown or HTML text, stored as typed. */
export const content = (): OptionDefinition<string> =>
  definition('text', '', (value) => atMost(value, 200_000), String);

export const secretText = (): OptionDefinition<string> => ({ ...rootOnly(text('', 4000)), secret: true });

/**
 * An absolute http or https URL or an empty text; stored without a trailing slash. A domain without a scheme, which
 * older consoles accepted, is stored with https.
 */
export const url = (): OptionDefinition<string> =>
  definition('text', '', (value) => parseUrl(withScheme(value.trim())), String);

/** A URL with its scheme, or a path of this site. */
export const urlOrPath = (): OptionDefinition<string> =>
  definition('text', '', (value) => (sitePath.test(value.trim()) ? value.trim() : parseUrl(value.trim())), String);

const sitePath = /^\/[\w.-]+(\/[\w.-]+)*$/;
const schemelessUrl = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(:\d{1,5})?([/?#]|$)/i;

export const choice = <T extends string>(defaultValue: T, all: readonly T[]): OptionDefinition<T> =>
  definition<T>(
    'text',
    defaultValue,
    (value) => {
      const found = all.find((one) => one === value.trim());
      if (found === undefined) throw new OptionValueError(`must be one of ${all.join(', ')}`);
      return found;
    },
    String,
  );

/** A list of entries separated by lines or commas. */
export const list = (
  defaultValue: readonly string[],
  separator: ',' | '\n',
  check?: (entry: string) => string | undefined,
): OptionDefinition<readonly string[]> =>
  definition(
    'list',
    defaultValue,
    (value) => {
      const entries = atMost(value, 200_000)
        .split(separator)
        .map((entry) => entry.trim())
        .filter(Boolean);
      for (const entry of entries) {
        const problem = check?.(entry);
        if (problem) throw new OptionValueError(problem);
      }
      if (new Set(entries).size !== entries.length) throw new OptionValueError('must not contain an entry twice');
      return entries;
    },
    (entries) => entries.join(separator),
  );

export const json = <T>(schema: z.ZodType<T>, defaultValue: T): OptionDefinition<T> =>
  definition(
    'json',
    defaultValue,
    (value) => {
      const result = schema.safeParse(parseJson(atMost(value, 1_000_000)));
      if (!result.success) throw new OptionValueError(describe(result.error));
      return result.data;
    },
    (value) => JSON.stringify(value, null, 2),
  );

/** A table from name to number. It has no prototype, so that lookups of inherited names find nothing. */
export const numberTable = (defaultValue: Table<number>): OptionDefinition<Table<number>> =>
  json(
    z
      .record(
        z.string().min(1),
        z.number('must be a number').min(0, 'must not be less than 0').max(1e9, 'is too large'),
      )
      .transform(bare),
    bare(defaultValue),
  );

export const textTable = (defaultValue: Table<string>): OptionDefinition<Table<string>> =>
  json(z.record(z.string().min(1), z.string('must be a text').max(1000)).transform(bare), bare(defaultValue));

export const textArray = (defaultValue: readonly string[]): OptionDefinition<readonly string[]> =>
  json(z.array(z.string('must be a text').min(1)), defaultValue);

/** Returns the table without a prototype, so that names such as `constructor` are not found. */
export const bare = <T>(table: Table<T>): Table<T> => Object.assign(Object.create(null) as Record<string, T>, table);

function parseBoolean(value: string): boolean {
  const given = value.trim();
  if (given !== 'true' && given !== 'false') throw new OptionValueError('must be true or false');
  return given === 'true';
}

function parseNumber(value: string): number {
  const given = value.trim();
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(given)) throw new OptionValueError('must be a number');
  return Number(given);
}

function within(value: number, low: number, high: number): number {
  if (value < low) throw new OptionValueError(`must be at least ${low}`);
  if (value > high) throw new OptionValueError(`must be at most ${high}`);
  return value;
}

const withScheme = (value: string): string => (schemelessUrl.test(value) ? `https://${value}` : value);

function parseUrl(value: string): string {
  if (value === '') return '';
  const parsed = URL.canParse(value) ? new URL(value) : null;
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
    throw new OptionValueError('must be an http:// or https:// address');
  }
  return atMost(value, 2000).replace(/\/+$/, '');
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw new OptionValueError('must be valid JSON');
  }
}

function atMost(value: string, length: number): string {
  if (value.length > length) throw new OptionValueError(`must have at most ${length} characters`);
  return value;
}

function describe(error: z.ZodError): string {
  const issue = error.issues[0];
  const path = issue?.path.join('.') ?? '';
  return path ? `${issue?.message ?? 'is not valid'}: ${path}` : (issue?.message ?? 'is not valid');
}
