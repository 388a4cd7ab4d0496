import type { Repository } from 'typeorm';
import { andAmong } from '../../db/conditions.js';
import { readSlice, type SortKeys } from '../../db/keyset.js';
import { requireRole, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditChange, AuditLog, AuditSubject } from '../../shared/audit.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import { maskCredentials } from '../../observability/redact.js';
import { storableJson } from '../../shared/json.js';
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

/** Maximum number of characters of a value; longer than any real price table. */
const longest = 100_000;

/** Settings that are stored as one JSON object, by model or by group. */
const tables = ['PriceCards', 'ModelPrice', 'ModelRatio', 'CompletionRatio', 'CacheRatio', 'GroupRatio'];

/** Entries are sorted by id, which is the order in which they were written. */
export type AuditSortField = 'id';

const sortKeys: SortKeys<AuditRecord, AuditSortField> = { id: { sql: 'entry.id', value: ({ id }) => id } };

/** The value as JSON; null where it was empty or too long to be stored in full. */
const tableOf = (state: 'before' | 'after'): string =>
  `(CASE WHEN change ->> '${state}' LIKE '{%' AND length(change ->> '${state}') < ${longest}
         THEN (change ->> '${state}')::jsonb END)`;

interface Transaction {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

/** Stores and lists audit entries: actor, time, changed fields before and after. Only root may read them. */
export class AuditService implements AuditLog {
  constructor(private readonly entries: Repository<AuditRecord>) {}

  /** Writes one entry per change in the caller's transaction. */
  async write(transaction: Transaction, actor: Actor, ...changes: AuditChange[]): Promise<void> {
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

  /** The newest first unless sorted. @throws AppError INSUFFICIENT_PRIVILEGES below root */
  async list(actor: MaybeActor, filter: AuditFilter, query: ListQuery<AuditSortField>): Promise<Slice<AuditRecord>> {
    requireRole(actor, 'root');
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
    const { from, until } = filter.created ?? {};
    if (from) select.andWhere('entry.createdAt >= :from', { from });
    if (until) select.andWhere('entry.createdAt < :until', { until });
    return readSlice<AuditRecord, AuditSortField>(select, query, sortKeys);
  }
}

const secretName = /password|secret|hash|sealed|^keys?$|(access|api)?(Key|Token)$/i;
const hidden = '***';

/** The fields that differ between two states, as readable text. Secrets are compared, then masked. */
function differenceOf({ before, after, secrets = [] }: AuditChange): FieldChange[] {
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
