import { priceKeys } from '../settings/priceSettings.js';
import type { AuditEntriesQuery } from './audit.generated.js';

export type AuditEntry = AuditEntriesQuery['auditEntries']['items'][number];
type FieldChange = AuditEntry['changes'][number];

/** One value before and after the change. Null when there was none. */
export interface Change {
  readonly field: string;
  /** The row that differs where the field is a table, such as a model of a price table. */
  readonly row: string | null;
  /** The key of the setting that has the table. Absent for other objects. */
  readonly setting?: string;
  /** The quantity whose price differs, where the rows of the table are price cards. */
  readonly quantity?: string;
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
  const changes = entry.changes.flatMap(rowsOf).flatMap((change) => inSetting(change, entry));
  if (entry.action !== 'create' && entry.action !== 'delete') return changes;
  return changes
    .filter(({ before, after }) => !isEmpty(before) || !isEmpty(after))
    .sort((one, other) => rankOf(one) - rankOf(other));
}

function rowsOf({ field, before, after }: FieldChange): Change[] {
  const [was, is] = [tableOf(before), tableOf(after)];
  if (!was || !is) return [{ field, row: null, before: before ?? null, after: after ?? null }];
  // Each row of a setting counts, such as a group without a description.
  const isShown = (row: string): boolean => field === 'value' || !hasNothing(was, row) || !hasNothing(is, row);
  const rows = differingRows(was, is).filter(isShown);
  return rows.map((row) => ({ field, row, before: textOf(was, row), after: textOf(is, row) }));
}

/** Returns the change of a row with its setting; of a price card, one change for each price that differs, and one for its rest. */
function inSetting(change: Change, { subject, subjectId }: AuditEntry): Change[] {
  if (subject !== 'OPTION' || change.row === null) return [change];
  const ofSetting = { ...change, setting: subjectId };
  if (subjectId !== 'PriceCards') return [ofSetting];
  const [was, is] = [cardOf(change.before), cardOf(change.after)];
  if (!was || !is) return [ofSetting];
  const prices = differingRows(was.prices, is.prices).map((quantity) => ({
    ...ofSetting,
    quantity,
    before: textOf(was.prices, quantity),
    after: textOf(is.prices, quantity),
  }));
  if (was.rest === is.rest) return prices;
  return [...prices, { ...ofSetting, before: was.rest, after: is.rest }];
}

/** The prices of a card, and everything else in it, as text. A card that did not exist has none. Null: no card. */
function cardOf(text: string | null): { readonly prices: Table; readonly rest: string | null } | null {
  if (text === null) return { prices: {}, rest: null };
  const card = tableOf(text);
  if (!card) return null;
  const { prices, ...rest } = card;
  const isTable = typeof prices === 'object' && prices !== null;
  return {
    prices: isTable ? (prices as Table) : {},
    rest: Object.keys(rest).length > 0 ? JSON.stringify(rest) : null,
  };
}

type Table = Readonly<Record<string, unknown>>;

/** Returns the names of the rows that differ, sorted. */
const differingRows = (was: Table, is: Table): string[] =>
  [...new Set([...Object.keys(was), ...Object.keys(is)])].sort().filter((row) => textOf(was, row) !== textOf(is, row));

/** Whether a row has no value, or an object or list without entries: both say the same to a reader. */
const hasNothing = (table: Table, row: string): boolean =>
  ['null', '{}', '[]', ''].includes(textOf(table, row) ?? 'null');

/** The JSON object in a text; an empty text counts as an empty one. */
function tableOf(text: string | null | undefined): Table | null {
  if (text === null || text === undefined) return null;
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Table) : null;
  } catch {
    return null;
  }
}

function textOf(table: Table, name: string): string | null {
  if (!Object.hasOwn(table, name)) return null;
  const value = table[name];
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Whether the entry changed a price setting that had a value before, which can be restored. */
export const isRestorable = ({ subject, subjectId, changes: [change] }: AuditEntry): boolean =>
  subject === 'OPTION' && priceKeys.includes(subjectId) && change?.before != null;

/** Fields of objects that the server can restore. A channel has more that it cannot: its keys, and what only the server sets. */
const restorableFields: Readonly<Partial<Record<AuditEntry['subject'], (field: string) => boolean>>> = {
  CHANNEL: (field) => !['id', 'key', 'createdAt', 'statusReason', 'statusChangedAt'].includes(field),
  USER: (field) => ['username', 'displayName', 'email', 'group'].includes(field),
  TOKEN: (field) => ['status', 'group'].includes(field),
};

/** Whether the entry changed a field of a channel, a user or an API key that can be restored. */
export const isObjectRestorable = ({ subject, action, changes }: AuditEntry): boolean => {
  const isField = restorableFields[subject];
  return isField !== undefined && !['create', 'delete'].includes(action) && changes.some(({ field }) => isField(field));
};

/**
 * Returns the setting without this change. In a table only the rows of the change become as before, because the audit log
 * does not store the other rows of a long table.
 * @param current the value of the setting now
 */
export function withoutChange({ changes }: AuditEntry, current: string): string {
  const table = new Map(Object.entries(tableOf(current) ?? {}));
  for (const { before, after } of changes) {
    const [was, is] = [tableOf(before), tableOf(after)];
    if (!was || !is) return before ?? current;
    for (const row of differingRows(was, is)) {
      if (Object.hasOwn(was, row)) table.set(row, was[row]);
      else table.delete(row);
    }
  }
  return JSON.stringify(Object.fromEntries(table));
}

/** The names in a stored list. Null: the text is no list of texts, or was cut because it is too long. */
export function namesIn(text: string): readonly string[] | null {
  if (!text.startsWith('[')) return null;
  try {
    const value = JSON.parse(text) as unknown[];
    return value.every((one) => typeof one === 'string') ? value : null;
  } catch {
    return null;
  }
}
