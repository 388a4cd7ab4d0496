import { dateOrNull } from '../../shared/clock.js';
import { storableText } from '../../shared/json.js';
import { lastSecond } from '../../shared/limits.js';
import { maxQuota } from '../../shared/quota.js';
import type { SourceRow } from './source.js';

/** A row that cannot be imported. The message is the reason. */
export class BadRecord extends Error {
  override readonly name = 'BadRecord';
}

/** Reads the values of a row in the same form from all three kinds of databases. A missing column reads as NULL. */
export class Fields {
  /** @param read collects the columns that are read */
  constructor(
    private readonly row: SourceRow,
    private readonly read = new Set<string>(),
  ) {}

  /** Returns the same row, which adds the columns that are read to the set. */
  tracked(read: Set<string>): Fields {
    return new Fields(this.row, read);
  }

  /** Returns the columns that have a value and were not read. */
  unread(): string[] {
    return Object.keys(this.row).filter((name) => !this.read.has(name) && !isBlank(this.row[name]));
  }

  private valueOf(name: string): unknown {
    this.read.add(name);
    return this.row[name];
  }

  get id(): number {
    return this.whole('id');
  }

  has(name: string): boolean {
    const value = this.valueOf(name);
    return value !== null && value !== undefined;
  }

  /** Returns a text, empty for NULL. NUL characters are removed, because Postgres cannot store them. */
  text(name: string): string {
    const value = this.valueOf(name);
    if (typeof value === 'string') return storableText(value);
    if (value instanceof Uint8Array) return storableText(Buffer.from(value).toString('utf8'));
    if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
    return value === null || value === undefined ? '' : storableText(JSON.stringify(value));
  }

  /** Returns a text without the blanks with which Postgres pads `char(n)`. */
  code(name: string): string {
    return this.text(name).trim();
  }

  /**
   * Returns an integer; a fraction is cut off.
   * @throws BadRecord for text, and for numbers beyond the largest quota
   */
  whole(name: string, missing = 0): number {
    if (!this.has(name) || this.valueOf(name) === '') return missing;
    const value = this.valueOf(name);
    const number = Math.trunc(typeof value === 'boolean' ? Number(value) : Number(this.text(name)));
    if (!Number.isSafeInteger(number) || Math.abs(number) > maxQuota) {
      throw new BadRecord(`${name} is not a number that can be stored`);
    }
    return number + 0;
  }

  /**
   * Returns an integer of any size. A value beyond the largest exact number is approximate.
   * @throws BadRecord for text
   */
  unbounded(name: string): number {
    const number = Math.trunc(Number(this.text(name)));
    if (!Number.isFinite(number)) throw new BadRecord(`${name} is not a number that can be stored`);
    return number + 0;
  }

  /** Returns an integer within the bounds. A value outside becomes the nearest bound. */
  clamped(name: string, low: number, high: number, missing = 0): number {
    return Math.min(high, Math.max(low, this.whole(name, missing)));
  }

  /** Returns Unix seconds. A later time becomes the end of the year 9999, because clients cannot show more. */
  seconds(name: string, missing = 0): number {
    return Math.min(this.whole(name, missing), lastSecond);
  }

  /** Returns Unix seconds as ISO text; null for 0 and for negative numbers. */
  moment(name: string): string | null {
    const seconds = this.seconds(name);
    return dateOrNull(seconds)?.toISOString() ?? null;
  }

  decimal(name: string): number {
    const number = Number(this.text(name) || 0);
    return Number.isFinite(number) ? number : 0;
  }

  flag(name: string): boolean {
    const value = this.valueOf(name);
    return typeof value === 'boolean' ? value : /^(1|true|t)$/i.test(this.text(name));
  }

  /**
   * Returns a time column of any database as ISO text. Texts without a zone are UTC. Returns null for NULL and for
   * other texts.
   */
  time(name: string): string | null {
    const value = this.valueOf(name);
    if (value instanceof Date) return value.toISOString();
    const text = this.text(name).trim();
    // The form is `2025-06-01 10:11:12.123456789+08:00`.
    const parts = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d)(\.\d{1,3})?\d*)?\s*(Z|[+-]\d\d:?\d\d)?/.exec(text);
    if (!parts) return null;
    const [, day = '', clock = '00:00:00', fraction = '', zone = 'Z'] = parts;
    const moment = new Date(`${day}T${clock}${fraction}${zone}`);
    return Number.isNaN(moment.getTime()) || moment.getFullYear() < 1971 ? null : moment.toISOString();
  }
}

/** Whether a value says nothing, because a column has it before it is set. */
const isBlank = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (value instanceof Uint8Array ? value.length === 0 : /^\s*(|0|false|null|\{\}|\[\])\s*$/.test(textOf(value)));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
