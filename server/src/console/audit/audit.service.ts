import type { Repository, SelectQueryBuilder } from 'typeorm';
import { andAmong, andBetween } from '../../platform/db/conditions.js';
import { readSlice, type SortKeys } from '../../platform/db/keyset.js';
import { personOf, requireConfirmed, requirePermission, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditChange, AuditLog, AuditSubject } from '../../shared/audit.js';
import { type CsvColumn, csvPieces } from '../../shared/csv.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import { priceOptions } from '../../options/option-permissions.js';
import { definitionOf } from '../../options/option-registry.js';
import { maskCredentials } from '../../platform/observability/redact.js';
import { parseFields, storableJson } from '../../shared/json.js';
import type { TimeRange } from '../../shared/time-range.js';
import type { AuditRecord, FieldChange } from './audit.entity.js';

/** Conditions on entries. Absent fields do not restrict; an empty list matches nothing. */
export interface AuditFilter {
  readonly subjects?: readonly AuditSubject[];
  readonly subjectIds?: readonly string[];
  readonly actorIds?: readonly number[];
  readonly actions?: readonly string[];
  readonly created?: TimeRange;
  /** Only changes of this entry of a setting that is a table, such as a model of a price table. */
  readonly entry?: string;
}

/** Maximum number of characters of a value. It is longer than any real price table. */
const longest = 100_000;

/** Number of entries per read. It is small, because the values of price tables are long. */
const entriesPerRead = 100;

/** Settings of prices that are stored as one JSON object, by model or by group. */
const tables = priceOptions.filter((key) => typeof definitionOf(key).defaultValue === 'object');

/** Where the names of objects are stored. Users and API keys that were deleted keep their row. */
const nameSql = {
  user: 'SELECT id, username AS name FROM users WHERE id = ANY ($1) AND deleted_at IS NULL',
  organisation: 'SELECT id, username AS name FROM users WHERE id = ANY ($1) AND deleted_at IS NULL',
  channel: 'SELECT id, name FROM channels WHERE id = ANY ($1)',
  token: 'SELECT id, name FROM tokens WHERE id = ANY ($1) AND deleted_at IS NULL',
} as const satisfies Partial<Record<AuditSubject, string>>;

/** Whether objects of this kind have a name that `AuditService.namesOf` reads. */
export const isNamed = (subject: AuditSubject): subject is keyof typeof nameSql => Object.hasOwn(nameSql, subject);

/** Entries are sorted by id, which is the order in which they were written. */
export type AuditSortField = 'id';

const sortKeys: SortKeys<AuditRecord, AuditSortField> = { id: { sql: 'entry.id', value: ({ id }) => id } };

/** SQL for the value as JSON; null when it was empty or too long to be stored in full. */
const tableOf = (state: 'before' | 'after'): string =>
  `(CASE WHEN change ->> '${state}' LIKE '{%' AND length(change ->> '${state}') < ${longest}
         THEN (change ->> '${state}')::jsonb END)`;

interface Transaction {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

/** Writes one entry per change in the caller's transaction. */
export async function writeAudit(
  transaction: Transaction,
  actor: Pick<Actor, 'id' | 'username' | 'ip'>,
  changes: readonly AuditChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await transaction.query(
    `INSERT INTO audit_entries (actor_id, actor_name, ip, action, subject, subject_id, changes)
     SELECT $1, $2, $3, entry.* FROM unnest($4::text[], $5::text[], $6::text[], $7::text[]::jsonb[]) AS entry`,
    [
      ...[actor.id, actor.username, actor.ip ?? ''],
      changes.map(({ action }) => action),
      changes.map(({ subject }) => subject),
      changes.map(({ id }) => String(id)),
      changes.map((change) => storableJson(differenceOf(change))),
    ],
  );
}

/** Stores and lists audit entries: actor, time, changed fields before and after. Only root may read them. */
export class AuditService implements AuditLog {
  constructor(private readonly entries: Repository<AuditRecord>) {}

  /** The actor of an entry is the person, also when they act for an organisation. */
  write(transaction: Transaction, actor: Actor, ...changes: AuditChange[]): Promise<void> {
    return writeAudit(transaction, { ...actor, ...personOf(actor) }, changes);
  }

  /**
   * Returns entries, the newest first unless sorted.
   * @throws AppError INSUFFICIENT_PRIVILEGES below root
   */
  async list(actor: MaybeActor, filter: AuditFilter, query: ListQuery<AuditSortField>): Promise<Slice<AuditRecord>> {
    requirePermission(actor, 'audit');
    return readSlice<AuditRecord, AuditSortField>(this.query(filter), query, sortKeys);
  }

  /**
   * Returns the names that objects have now. Deleted ones are left out.
   * @throws AppError INSUFFICIENT_PRIVILEGES below root
   */
  async namesOf(
    actor: MaybeActor,
    subject: keyof typeof nameSql,
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, string>> {
    requirePermission(actor, 'audit');
    const rows = await this.entries.query<Array<{ id: number; name: string }>>(nameSql[subject], [ids]);
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /**
   * Exports all matching entries as CSV, newest first, one line per changed field. Memory use does not depend on their
   * number.
   * @throws AppError INSUFFICIENT_PRIVILEGES below root, CONFIRMATION_NEEDED, before the first piece
   */
  export(actor: MaybeActor, filter: AuditFilter): AsyncIterable<string> {
    requireConfirmed(requirePermission(actor, 'audit'));
    return csvPieces(columns, {
      rowsPerRead: entriesPerRead,
      read: (behind?: AuditRecord) => {
        const select = this.query(filter).orderBy('entry.id', 'DESC').take(entriesPerRead);
        if (behind) select.andWhere('entry.id < :behind', { behind: behind.id });
        return select.getMany();
      },
      show: (entries) => entries.flatMap(changesOf),
    });
  }

  private query(filter: AuditFilter): SelectQueryBuilder<AuditRecord> {
    const select = this.entries.createQueryBuilder('entry');
    andAmong(select, 'entry.subject', filter.subjects);
    andAmong(select, 'entry.subject_id', filter.subjectIds);
    andAmong(select, 'entry.actor_id', filter.actorIds);
    andAmong(select, 'entry.action', filter.actions);
    if (filter.entry !== undefined) {
      select.andWhere(
        `entry.subject = 'option' AND entry.subject_id = ANY (:tables) AND EXISTS (
           SELECT 1 FROM jsonb_array_elements(entry.changes) AS change
            WHERE ${tableOf('before')} -> :name IS DISTINCT FROM ${tableOf('after')} -> :name)`,
        { tables, name: filter.entry.replaceAll('\0', '') },
      );
    }
    andBetween(select, 'entry.created_at', filter.created);
    return select;
  }
}

interface ExportedChange extends FieldChange {
  readonly entry: AuditRecord;
}

const columns: ReadonlyArray<CsvColumn<ExportedChange>> = [
  ['id', ({ entry }) => entry.id],
  ['time', ({ entry }) => entry.createdAt.toISOString()],
  ['actor_id', ({ entry }) => entry.actorId],
  ['actor', ({ entry }) => entry.actorName],
  ['ip', ({ entry }) => entry.ip],
  ['action', ({ entry }) => entry.action],
  ['subject', ({ entry }) => entry.subject],
  ['subject_id', ({ entry }) => entry.subjectId],
  ['field', ({ field }) => field],
  ['before', ({ before }) => before],
  ['after', ({ after }) => after],
];

const changesOf = (entry: AuditRecord): ExportedChange[] =>
  (entry.changes.length > 0 ? entry.changes : [{ field: '', before: null, after: null }]).map((change) => ({
    ...change,
    entry,
  }));

const secretName = /password|secret|hash|sealed|^keys?$|(access|api)?(Key|Token)$/i;
const hidden = '***';

/** Whether the name of a field shows that its value is secret. */
export const isSecretField = (field: string): boolean => secretName.test(field);

/** Returns a value as an entry stores it. The field is not secret. */
export const storedText = (value: unknown): string | null => maskedText(toText(value));

/** Whether an entry stores a text as it was: neither without its credentials nor cut. */
export const isWhole = (text: string): boolean => text.length < longest && !text.includes('[redacted]');

/** Returns the fields that differ between two states, as readable text. Secrets are compared, then masked. */
function differenceOf({ before, after, secrets = [] }: AuditChange): FieldChange[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  return fields.flatMap((field) => {
    const was = toText(before?.[field]);
    const is = toText(after?.[field]);
    if (was === is) return [];
    const show = secrets.includes(field) || isSecretField(field) ? mask : maskedText;
    return partsOf(was, is).map(([before, after]) => ({ field, before: show(before), after: show(after) }));
  });
}

type Values = readonly [before: string | null, after: string | null];

/**
 * Splits tables that are too long to be stored in full: returns their differing entries, in as many parts as necessary.
 */
function partsOf(was: string | null, is: string | null): Values[] {
  if (Math.max(was?.length ?? 0, is?.length ?? 0) < longest) return [[was, is]];
  const [before, after] = [parseFields(was || '{}'), parseFields(is || '{}')];
  if (!before || !after) return [[was, is]];
  const parts: Values[] = [];
  let [had, has, length]: [Record<string, unknown>, Record<string, unknown>, number] = [{}, {}, 0];
  const finish = (): void => {
    parts.push([JSON.stringify(had), JSON.stringify(has)]);
    [had, has, length] = [{}, {}, 0];
  };
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [JSON.stringify(before[name]), JSON.stringify(after[name])];
    if (old === now) continue;
    const size = name.length + Math.max(old?.length ?? 0, now?.length ?? 0) + 8;
    if (length > 0 && length + size > longest) finish();
    if (old !== undefined) had[name] = before[name];
    if (now !== undefined) has[name] = after[name];
    length += size;
  }
  // An empty part is stored if the table was only written in another form, with the same entries.
  if (length > 0 || parts.length === 0) finish();
  return parts;
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
