import { randomUUID } from 'node:crypto';
import {
  Brackets,
  In,
  type EntityManager,
  type FindOptionsWhere,
  type Repository,
  type SelectQueryBuilder,
} from 'typeorm';
import { andAmong, andDuring } from '../../db/conditions.js';
import { decodeCursor, encodeCursor, readSlice, type SortKeys } from '../../db/keyset.js';
import { requireRole, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditChange, AuditLog, UsageLog } from '../../shared/audit.js';
import { seconds, type Clock } from '../../shared/clock.js';
import type { BulkFailure, BulkResult } from '../../shared/bulk.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { ConflictError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { assertIdList, maxIds } from '../../shared/id-list.js';
import { escapeLike, type ListQuery, type Slice } from '../../shared/page.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import { maxQuota } from '../../shared/quota.js';
import type { Secrets } from '../../shared/secrets.js';
import type { TimeRange } from '../../shared/time-range.js';
import type { Idempotency } from '../idempotency/idempotency.service.js';
import { LogType } from '../logs/log.entity.js';
import {
  newRedemptionDefaults,
  parseFields,
  parseNew,
  type NewRedemptions,
  type RedemptionFields,
} from './redemption-input.js';
import { Redemption, RedemptionStatus } from './redemption.entity.js';

export type { NewRedemptions, RedemptionFields };

/** Conditions on codes. Absent fields do not restrict; an empty list matches nothing. */
export interface RedemptionFilter {
  readonly ids?: readonly number[];
  /** A prefix of the name, an id, or the full code. */
  readonly keyword?: string;
  /** The full name. */
  readonly name?: string;
  readonly statuses?: readonly number[];
  readonly isGift?: boolean;
  readonly created?: TimeRange;
}

export type RedemptionSortField = 'id' | 'name' | 'status' | 'quota' | 'createdTime' | 'redeemedTime' | 'usedCount';

/** Totals of all codes that match a filter. */
export interface RedemptionSums {
  readonly codes: number;
  /** Value that can still be redeemed: unused, enabled and not expired codes, without unlimited gift codes. */
  readonly unusedQuota: number;
  /** Value that was redeemed. */
  readonly usedQuota: number;
  /** Number of gift codes without a limit of uses. */
  readonly endlessGifts: number;
}

/** One user who redeemed a code. */
export interface RedemptionUse {
  readonly redemptionId: number;
  readonly userId: number;
  /** Unix seconds. */
  readonly usedTime: number;
  readonly quota: number;
}

/** A row with its code in plain text: for admins only. */
export interface KeyedRedemption {
  readonly redemption: Redemption;
  readonly key: string;
}

export interface RedemptionDeps {
  readonly redemptions: Repository<Redemption>;
  readonly secrets: Secrets;
  readonly usageLog: UsageLog;
  readonly auditLog: AuditLog;
  readonly idempotency: Pick<Idempotency, 'once'>;
  readonly clock: Clock;
}

const maxId = 2_147_483_647;

/** Redemption and gift codes for admins. `RedeemService` is for users. */
export class RedemptionService {
  constructor(private readonly deps: RedemptionDeps) {}

  /**
   * Newest first unless sorted.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  async list(
    actor: MaybeActor,
    filter: RedemptionFilter,
    query: ListQuery<RedemptionSortField>,
  ): Promise<Slice<KeyedRedemption>> {
    requireRole(actor, 'admin');
    const select = this.query(filter).addSelect('redemption.keySealed');
    const page = await readSlice<Redemption, RedemptionSortField>(select, query, sortKeys);
    return { ...page, items: page.items.map((row) => this.keyed(row)) };
  }

  /** @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin */
  async sums(actor: MaybeActor, filter: RedemptionFilter): Promise<RedemptionSums> {
    requireRole(actor, 'admin');
    const now = seconds(this.deps.clock);
    const open = `redemption.status = ${RedemptionStatus.enabled}
      AND (redemption.valid_until = 0 OR redemption.valid_until >= :now)`;
    const left = `redemption.quota::numeric
      * CASE WHEN redemption.is_gift THEN greatest(redemption.max_uses - redemption.used_count, 0) ELSE 1 END`;
    const row = await this.query(filter)
      .select('count(*)', 'codes')
      .addSelect(`coalesce(sum(${left}) FILTER (WHERE ${open}), 0)`, 'unused')
      .addSelect(
        `coalesce(sum((SELECT sum(used.quota) FROM redemption_uses used WHERE used.redemption_id = redemption.id)), 0)`,
        'used',
      )
      .addSelect(`count(*) FILTER (WHERE ${open} AND redemption.is_gift AND redemption.max_uses < 0)`, 'endless')
      .setParameter('now', now)
      .getRawOne<Record<'codes' | 'unused' | 'used' | 'endless', string>>();
    return {
      codes: Number(row?.codes ?? 0),
      unusedQuota: Math.min(Number(row?.unused ?? 0), maxQuota),
      usedQuota: Math.min(Number(row?.used ?? 0), maxQuota),
      endlessGifts: Number(row?.endless ?? 0),
    };
  }

  /**
   * Users who redeemed these codes, newest first: one page per code, in two statements for all codes.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin; INVALID_INPUT for an invalid cursor
   */
  async usesOf(
    actor: MaybeActor,
    ids: readonly number[],
    query: ListQuery,
  ): Promise<ReadonlyMap<number, Slice<RedemptionUse>>> {
    requireRole(actor, 'admin');
    const { manager } = this.deps.redemptions;
    const after = query.after === null ? null : decodeCursor(query.after, useOrder);
    const rows = await manager.query<RedemptionUse[]>(
      `SELECT page.* FROM unnest($1::integer[]) AS code (id) CROSS JOIN LATERAL (
         SELECT redemption_id AS "redemptionId", user_id AS "userId", used_time::float8 AS "usedTime", quota::float8 AS quota
           FROM redemption_uses WHERE redemption_id = code.id
            AND ($2::bigint IS NULL OR (used_time, user_id) < ($2::bigint, $3::integer))
          ORDER BY used_time DESC, user_id DESC LIMIT $4 OFFSET $5
       ) page`,
      [
        ...[ids, after?.[0] ?? null, after?.[1] ?? null, query.pageSize + 1],
        query.after === null ? query.page * query.pageSize : 0,
      ],
    );
    const counts = once(async () => {
      const counted = await manager.query<Array<{ id: number; uses: string }>>(
        'SELECT redemption_id AS id, count(*) AS uses FROM redemption_uses WHERE redemption_id = ANY ($1) GROUP BY 1',
        [ids],
      );
      return new Map(counted.map(({ id, uses }) => [id, Number(uses)]));
    });
    return new Map(
      ids.map((id) => {
        const found = rows.filter(({ redemptionId }) => redemptionId === id);
        const items = found.slice(0, query.pageSize);
        const last = items.at(-1);
        const slice: Slice<RedemptionUse> = {
          items,
          endCursor: last ? encodeCursor(useOrder, [last.usedTime, last.userId]) : null,
          hasNextPage: found.length > items.length,
          total: async () => ({ count: (await counts()).get(id) ?? 0, capped: false }),
        };
        return [id, slice];
      }),
    );
  }

  /** @throws AppError NOT_FOUND */
  async get(actor: MaybeActor, id: number): Promise<KeyedRedemption> {
    requireRole(actor, 'admin');
    return this.find(this.deps.redemptions.manager, id);
  }

  /**
   * @param idempotencyKey a retry with the same key returns the codes of the first call, without those deleted since
   * @returns the new codes, in order
   * @throws AppError INVALID_INPUT, CONFLICT
   */
  async create(
    actor: MaybeActor,
    given: Partial<NewRedemptions>,
    idempotencyKey?: string | null,
  ): Promise<{ codes: KeyedRedemption[]; replayed: boolean }> {
    const admin = requireRole(actor, 'admin');
    // Stores ids, not the codes: results of idempotency keys are not encrypted.
    const { result: ids, replayed } = await this.deps.idempotency.once(
      admin,
      { operation: 'createRedemptions', key: idempotencyKey, input: given },
      (manager) => this.insert(manager, admin, given),
    );
    const rows = await this.query({ ids }).addSelect('redemption.keySealed').orderBy('redemption.id', 'ASC').getMany();
    return { codes: rows.map((row) => this.keyed(row)), replayed };
  }

  /** @returns ids of the new codes */
  private async insert(manager: EntityManager, admin: Actor, given: Partial<NewRedemptions>): Promise<number[]> {
    const { count, key, ...fields } = parseNew({ ...newRedemptionDefaults, ...omitUndefined(given) });
    const keys = key === '' ? Array.from({ length: count }, () => randomUUID().replaceAll('-', '')) : [key];
    const { secrets, clock } = this.deps;
    const rows = keys.map((one) => ({
      ...fields,
      userId: admin.id,
      keyHash: secrets.hash(one),
      keySealed: secrets.seal(one),
      createdTime: seconds(clock),
    }));
    const { identifiers } = await manager.insert(Redemption, rows).catch((error: unknown) => {
      throw isUniqueViolation(error, 'redemptions_key_hash') ? new ConflictError('Code already exists', 'key') : error;
    });
    const ids = (identifiers as Array<{ id: number }>).map(({ id }) => id);
    const changes = ids.map((id) => changeOf('create', id, null, fields));
    await this.log(manager, admin, `Created ${keys.length} codes (${fields.name})`, changes);
    return ids;
  }

  /**
   * Changes an unused code. Absent fields keep their value.
   * @throws AppError INVALID_INPUT, NOT_FOUND
   */
  async update(actor: MaybeActor, id: number, given: Partial<RedemptionFields>): Promise<KeyedRedemption> {
    return this.change(requireRole(actor, 'admin'), id, 'Changed', ({ redemption }) => {
      if (redemption.status !== RedemptionStatus.enabled) {
        throw new InvalidInputError('Only an unused code can be edited', 'status');
      }
      return parseFields({ ...redemption, ...omitUndefined(given) });
    });
  }

  /**
   * @param status 1 or 2; a used code keeps its status
   * @throws AppError INVALID_INPUT, NOT_FOUND
   */
  async setStatus(actor: MaybeActor, id: number, status: number): Promise<KeyedRedemption> {
    const admin = requireRole(actor, 'admin');
    const word = status === RedemptionStatus.enabled ? 'Enabled' : 'Disabled';
    return this.change(admin, id, word, ({ redemption }) => {
      if (status !== RedemptionStatus.enabled && status !== RedemptionStatus.disabled) {
        throw new InvalidInputError('A code can be enabled (1) or disabled (2)', 'status');
      }
      if (redemption.status === RedemptionStatus.used) {
        throw new InvalidInputError('A used code cannot be enabled or disabled', 'status');
      }
      return { status };
    });
  }

  /** @throws AppError NOT_FOUND */
  async delete(actor: MaybeActor, id: number): Promise<void> {
    const admin = requireRole(actor, 'admin');
    const gone = await this.remove(admin, { id }, `Deleted code ${id}`);
    if (gone === 0) throw new NotFoundError('Redemption code', id);
  }

  /** @param name the full name */
  async countByName(actor: MaybeActor, name: string): Promise<number> {
    requireRole(actor, 'admin');
    return this.deps.redemptions.countBy({ name: checkedName(name) });
  }

  /** @returns how many codes were deleted */
  async deleteByName(actor: MaybeActor, name: string): Promise<number> {
    const admin = requireRole(actor, 'admin');
    const exact = checkedName(name);
    return this.remove(admin, { name: exact }, `Deleted the codes named ${exact}`);
  }

  /** @returns how many codes were deleted */
  async deleteDisabled(actor: MaybeActor): Promise<number> {
    const admin = requireRole(actor, 'admin');
    return this.remove(admin, { status: RedemptionStatus.disabled }, 'Deleted the disabled codes');
  }

  /** Disables the unused ones among these codes. @throws AppError INVALID_INPUT for no ids or too many */
  async disable(actor: MaybeActor, ids: readonly number[]): Promise<BulkResult> {
    const admin = requireRole(actor, 'admin');
    assertIdList(ids, 'ID list must not be empty');
    const known = ids.filter((id) => Number.isSafeInteger(id) && id > 0 && id <= maxId);
    return this.deps.redemptions.manager.transaction(async (manager) => {
      const rows = await lockWhere(manager, { id: In(known) });
      const open = rows.filter(({ status }) => status === RedemptionStatus.enabled);
      const status = RedemptionStatus.disabled;
      if (open.length > 0) {
        await manager.update(Redemption, { id: In(open.map(({ id }) => id)) }, { status });
        const changes = open.map((row) => changeOf('update', row.id, row, { ...row, status }));
        await this.log(manager, admin, `Disabled ${open.length} codes`, changes);
      }
      const statusOf = new Map(rows.map((row) => [row.id, row.status]));
      const failed = ids.flatMap((id): BulkFailure[] => {
        const before = statusOf.get(id);
        if (before === RedemptionStatus.enabled) return [];
        if (before === undefined) return [{ id, code: 'NOT_FOUND', message: `Redemption code ${id} not found` }];
        return [{ id, code: 'CONFLICT', message: `Code ${id} is not unused` }];
      });
      return { done: open.map(({ id }) => id), failed };
    });
  }

  private query(filter: RedemptionFilter): SelectQueryBuilder<Redemption> {
    const query = this.deps.redemptions.createQueryBuilder('redemption');
    andAmong(query, 'redemption.id', filter.ids);
    andAmong(query, 'redemption.status', filter.statuses);
    andAmong(query, 'redemption.name', filter.name === undefined ? undefined : [filter.name]);
    andDuring(query, 'redemption.created_time', filter.created);
    if (filter.isGift !== undefined) query.andWhere('redemption.isGift = :isGift', { isGift: filter.isGift });
    // Postgres texts cannot contain NUL, so no name starts with one.
    if (filter.keyword) query.andWhere(this.matching(filter.keyword.replaceAll('\0', '')));
    return query;
  }

  private matching(keyword: string): Brackets {
    return new Brackets((either) => {
      either.where('redemption.name LIKE :start', { start: `${escapeLike(keyword)}%` });
      either.orWhere('redemption.keyHash = :hash', { hash: this.deps.secrets.hash(keyword.trim()) });
      const id = /^\d{1,10}$/.test(keyword) ? Number(keyword) : 0;
      if (id > 0 && id <= maxId) either.orWhere('redemption.id = :id', { id });
    });
  }

  private async change(
    admin: Actor,
    id: number,
    word: string,
    decide: (before: KeyedRedemption) => Partial<Redemption>,
  ): Promise<KeyedRedemption> {
    return this.deps.redemptions.manager.transaction(async (manager) => {
      // The same lock as redeeming, so that the decision is based on the current row.
      await manager.query('SELECT 1 FROM redemptions WHERE id = $1 FOR NO KEY UPDATE', [id]);
      const before = await this.find(manager, id);
      await manager.update(Redemption, { id }, decide(before));
      const after = await this.find(manager, id);
      const change = changeOf('update', id, before.redemption, after.redemption);
      await this.log(manager, admin, `${word} code ${id} (${before.redemption.name})`, [change]);
      return after;
    });
  }

  private async remove(admin: Actor, which: FindOptionsWhere<Redemption>, content: string): Promise<number> {
    return this.deps.redemptions.manager.transaction(async (manager) => {
      let gone = 0;
      // Deletes as many rows at a time as one statement can name. Deleted rows are not found again.
      for (let found = maxIds; found === maxIds; gone += found) {
        const rows = await lockWhere(manager, which, maxIds);
        found = rows.length;
        await manager.softDelete(Redemption, { id: In(rows.map(({ id }) => id)) });
        await this.deps.auditLog.write(manager, admin, ...rows.map((row) => changeOf('delete', row.id, row, null)));
      }
      if (gone > 0) await this.log(manager, admin, `${content}: ${gone}`);
      return gone;
    });
  }

  private async find(manager: EntityManager, id: number): Promise<KeyedRedemption> {
    const row = await manager
      .createQueryBuilder(Redemption, 'redemption')
      .addSelect('redemption.keySealed')
      .where('redemption.id = :id', { id })
      .getOne();
    if (!row) throw new NotFoundError('Redemption code', id);
    return this.keyed(row);
  }

  private keyed(redemption: Redemption): KeyedRedemption {
    return { redemption, key: this.deps.secrets.open(redemption.keySealed) };
  }

  private async log(manager: EntityManager, admin: Actor, content: string, changes: AuditChange[] = []): Promise<void> {
    const { id, username } = admin;
    await this.deps.usageLog.record(manager, { type: LogType.manage, userId: id, username, content });
    await this.deps.auditLog.write(manager, admin, ...changes);
  }
}

/** Locks in the order of ids, like every other transaction that locks several rows. */
const lockWhere = (manager: EntityManager, where: FindOptionsWhere<Redemption>, take?: number): Promise<Redemption[]> =>
  manager.find(Redemption, { where, order: { id: 'ASC' }, take, lock: { mode: 'for_no_key_update' } });

type Audited = Pick<Redemption, 'name' | 'quota' | 'validFrom' | 'validUntil' | 'isGift' | 'maxUses'> & {
  readonly status?: number;
};

/** Audited fields, without the code. */
const auditedFields = (row: Audited): Record<string, unknown> => ({
  name: row.name,
  quota: row.quota,
  status: row.status ?? RedemptionStatus.enabled,
  validFrom: row.validFrom,
  validUntil: row.validUntil,
  isGift: row.isGift,
  maxUses: row.maxUses,
});

const changeOf = (action: string, id: number, before: Audited | null, after: Audited | null): AuditChange => ({
  action,
  subject: 'redemption',
  id,
  before: before && auditedFields(before),
  after: after && auditedFields(after),
});

function checkedName(name: string): string {
  const exact = name.trim();
  if (exact === '') throw new InvalidInputError('Name must not be empty', 'name');
  return exact;
}

const sortKeys: SortKeys<Redemption, RedemptionSortField> = {
  id: { sql: 'redemption.id', value: ({ id }) => id },
  name: { sql: 'redemption.name', value: ({ name }) => name },
  status: { sql: 'redemption.status', value: ({ status }) => status },
  quota: { sql: 'redemption.quota', value: ({ quota }) => quota },
  createdTime: { sql: 'redemption.created_time', value: ({ createdTime }) => createdTime },
  redeemedTime: { sql: 'redemption.redeemed_time', value: ({ redeemedTime }) => redeemedTime },
  usedCount: { sql: 'redemption.used_count', value: ({ usedCount }) => usedCount },
};

const useOrder = [
  { field: 'usedTime', direction: 'DESC' },
  { field: 'userId', direction: 'DESC' },
] as const;

/** Calls the function at most once. */
function once<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => (result ??= read());
}
