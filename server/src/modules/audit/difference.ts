import { maskCredentials } from '../../observability/redact.js';
import type { AuditChange } from '../../shared/audit.js';
import type { FieldChange } from './audit.entity.js';

const secretName = /password|secret|hash|sealed|^keys?$|(access|api)?(Key|Token)$/i;
const hidden = '***';
/** Maximum number of characters of a value; longer than any real price table. */
const longest = 100_000;

/** The fields that differ between two states, as readable text. Secrets are compared, then masked. */
export function differenceOf({ before, after, secrets = [] }: AuditChange): FieldChange[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  return fields.flatMap((field) => {
    const was = toText(before?.[field]);
    const is = toText(after?.[field]);
    if (was === is) return [];
    const show = secrets.includes(field) || secretName.test(field) ? mask : maskedText;
    return [{ field, before: show(was), after: show(is) }];
  });
}

function toText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return JSON.stringify(value);
}

/** Masks the value but keeps empty values visible: whether a secret is set may be shown. */
const mask = (text: string | null): string | null => (text === null || text === '' ? text : hidden);

/** Removes NUL, which Postgres JSON cannot store. */
const maskedText = (text: string | null): string | null =>
  text === null ? null : maskCredentials(text.replaceAll('\0', '')).slice(0, longest);
