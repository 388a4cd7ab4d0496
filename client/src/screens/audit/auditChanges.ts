import { priceKeys } from '../../nouns/settings/priceSettings.js';
import type { AuditEntriesQuery } from './audit.generated.js';

export type AuditEntry = AuditEntriesQuery['auditEntries']['items'][number];
type FieldChange = AuditEntry['changes'][number];

/** One value before and after. Null: there was none. */
export interface Change {
  readonly field: string;
  /** The row that differs where the field is a table, such as a model of a price table. */
  readonly row: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

const isEmpty = (text: string | null): boolean => text === null || text === '';

/** Fields that identify the object. They come first. */
const naming = ['username', 'name', 'key', 'level', 'kind'];
const rankOf = ({ field }: Change): number => (naming.indexOf(field) + naming.length + 1) % (naming.length + 1);

/**
 * Returns the changes of an entry. For a table these are only the rows that differ, by name. For a new or deleted
 * object, the name comes first, and fields that were never set are left out.
 */
export function changesOf(entry: AuditEntry): Change[] {
  const changes = entry.changes.flatMap(rowsOf);
  if (entry.action !== 'create' && entry.action !== 'delete') return changes;
  return changes
    .filter(({ before, after }) => !isEmpty(before) || !isEmpty(after))
    .sort((one, other) => rankOf(one) - rankOf(other));
}

function rowsOf({ field, before, after }: FieldChange): Change[] {
  const [was, is] = [tableOf(before), tableOf(after)];
  if (!was || !is) return [{ field, row: null, before: before ?? null, after: after ?? null }];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort();
  return names.flatMap((row) => {
    const [old, next] = [textOf(was, row), textOf(is, row)];
    return old === next ? [] : [{ field, row, before: old, after: next }];
  });
}

/** The JSON object in a text; an empty text counts as an empty one. */
function tableOf(text: string | null | undefined): Readonly<Record<string, unknown>> | null {
  if (text === null || text === undefined) return null;
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}

function textOf(table: Readonly<Record<string, unknown>>, name: string): string | null {
  if (!Object.hasOwn(table, name)) return null;
  const value = table[name];
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the setting's value before this change, which can be saved again; null if it cannot be restored. */
export function restorable(entry: AuditEntry): { key: string; value: string } | null {
  if (entry.subject !== 'OPTION' || !priceKeys.includes(entry.subjectId)) return null;
  const [change] = entry.changes;
  return change?.before == null ? null : { key: entry.subjectId, value: change.before };
}
