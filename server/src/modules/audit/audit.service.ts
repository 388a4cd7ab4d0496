import type { Repository } from 'typeorm';
import { requireRole, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditChange, AuditLog } from '../../shared/audit.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { Page, PageQuery } from '../../shared/page.js';
import { storableJson } from '../../shared/storable.js';
import type { AuditRecord } from './audit.entity.js';
import { differenceOf } from './difference.js';

export interface AuditFilter {
  readonly subject?: string | null;
  readonly subjectId?: string | null;
  readonly actorId?: number | null;
  /** Inclusive. */
  readonly from?: Date | null;
  readonly to?: Date | null;
}

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

  /**
   * Newest first.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below root
   */
  async list(actor: MaybeActor, filter: AuditFilter, query: PageQuery): Promise<Page<AuditRecord>> {
    requireRole(actor, 'root');
    const { sort } = query;
    if (sort && sort.field !== 'createdAt') {
      throw new InvalidInputError('The audit can be sorted by createdAt only', 'sort');
    }
    const select = this.entries.createQueryBuilder('entry');
    const text = (value: string): string => value.replaceAll('\0', '');
    if (filter.subject) select.andWhere('entry.subject = :subject', { subject: text(filter.subject) });
    if (filter.subjectId) select.andWhere('entry.subjectId = :subjectId', { subjectId: text(filter.subjectId) });
    if (filter.actorId) select.andWhere('entry.actorId = :actorId', { actorId: filter.actorId });
    if (filter.from) select.andWhere('entry.createdAt >= :from', { from: filter.from });
    if (filter.to) select.andWhere('entry.createdAt <= :to', { to: filter.to });
    const [items, totalCount] = await select
      .orderBy('entry.id', sort?.direction ?? 'DESC')
      .offset(query.page * query.pageSize)
      .limit(query.pageSize)
      .getManyAndCount();
    return { items, totalCount };
  }
}
