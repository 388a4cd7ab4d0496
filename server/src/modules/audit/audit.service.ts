import type { Repository } from 'typeorm';
import { andAmong } from '../../db/conditions.js';
import { readSlice, type SortKeys } from '../../db/keyset.js';
import { requireRole, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditChange, AuditLog, AuditSubject } from '../../shared/audit.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import { storableJson } from '../../shared/storable.js';
import type { TimeRange } from '../../shared/time-range.js';
import type { AuditRecord } from './audit.entity.js';
import { differenceOf } from './difference.js';

/** Conditions on entries. Absent fields do not restrict; an empty list matches nothing. */
export interface AuditFilter {
  readonly subjects?: readonly AuditSubject[];
  readonly subjectIds?: readonly string[];
  readonly actorIds?: readonly number[];
  readonly actions?: readonly string[];
  readonly created?: TimeRange;
}

/** Entries are sorted by id, which is the order in which they were written. */
export type AuditSortField = 'id';

const sortKeys: SortKeys<AuditRecord, AuditSortField> = { id: { sql: 'entry.id', value: ({ id }) => id } };

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
    const { from, until } = filter.created ?? {};
    if (from) select.andWhere('entry.createdAt >= :from', { from });
    if (until) select.andWhere('entry.createdAt < :until', { until });
    return readSlice<AuditRecord, AuditSortField>(select, query, sortKeys);
  }
}
