import { randomUUID } from 'node:crypto';
import { In, type EntityManager, type Repository } from 'typeorm';
import { readSlice } from '../../platform/db/keyset.js';
import {
  hasScope,
  requireConfirmed,
  requirePermission,
  visibleUsers,
  type Actor,
  type MaybeActor,
} from '../../shared/actor.js';
import type { AuditChange, AuditLog, UsageLog } from '../../shared/audit.js';
import type { Clock } from '../../shared/clock.js';
import type { BulkFailure, BulkResult } from '../../shared/bulk.js';
import { csvPieces } from '../../shared/csv.js';
import { ConflictError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { assertIdList, maxIds } from '../../shared/id-list.js';
import { maxInt32 } from '../../shared/limits.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import type { Secrets } from '../../shared/secrets.js';
import type { Idempotency } from '../../platform/idempotency/idempotency.js';
import { LogType } from '../logs/index.js';
import { codeColumns, type KeyedRedemption } from './redemption-csv.js';
import { Plan } from '../../billing/plans/index.js';
import { parseFields, parseNew, type InputOf, type NewRedemptions, type RedemptionFields } from './redemption-input.js';
import {
  readSums,
  redemptionQuery,
  sortKeys,
  type RedemptionFilter,
  type RedemptionSortField,
  type RedemptionSums,
} from './redemption-query.js';
import { readUses, type RedemptionUse } from './redemption-uses.js';
import { Redemption, type RedemptionStatus } from './redemption.entity.js';

const hiddenKey = '**********';

/** Codes that one statement writes or one piece of an export has. */
const codesAtOnce = 1000;

export interface RedemptionDeps {
  readonly redemptions: Repository<Redemption>;
  readonly secrets: Secrets;
  readonly usageLog: UsageLog;
  readonly auditLog: AuditLog;
  readonly idempotency: Pick<Idempotency, 'once'>;
  readonly clock: Clock;
}

/** Redemption and gift codes for admins. `RedeemService` is for users. */
export class RedemptionService {
  constructor(private readonly deps: RedemptionDeps) {}

  /**
   * Lists codes, newest first unless sorted.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  async list(
    actor: MaybeActor,
    filter: RedemptionFilter,
    query: ListQuery<RedemptionSortField>,
  ): Promise<Slice<KeyedRedemption>> {
    const admin = requirePermission(actor, 'codes');
    const select = redemptionQuery(this.deps, filter).addSelect('redemption.keySealed');
    const page = await readSlice<Redemption, RedemptionSortField>(select, query, sortKeys);
    return { ...page, items: page.items.map((row) => this.keyed(admin, row)) };
  }

  /** @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin */
  async sums(actor: MaybeActor, filter: RedemptionFilter): Promise<RedemptionSums> {
    requirePermission(actor, 'codes');
    return readSums(redemptionQuery(this.deps, filter), new Date(this.deps.clock.now()));
  }

  /**
   * Reads codes by id, for relations.
   * @throws AppError INSUFFICIENT_PRIVILEGES below admin
   */
  async readMany(actor: MaybeActor, ids: readonly number[]): Promise<Array<KeyedRedemption & { readonly id: number }>> {
    const admin = requirePermission(actor, 'codes');
    const rows = await redemptionQuery(this.deps, { ids }).addSelect('redemption.keySealed').getMany();
    return rows.map((row) => ({ ...this.keyed(admin, row), id: row.id }));
  }

  /**
   * Returns the users of each of these codes, the latest first.
   * @throws AppError INSUFFICIENT_PRIVILEGES below admin
   */
  async usesOf(
    actor: MaybeActor,
    ids: readonly number[],
    query: ListQuery,
  ): Promise<ReadonlyMap<number, Slice<RedemptionUse>>> {
    requirePermission(actor, 'codes');
    return readUses(this.deps.redemptions.manager, 'redemptionId', ids, query);
  }

  /**
   * Returns codes that each of these users redeemed, the latest first. Admins read codes of all users, others their
   * own.
   */
  async usesBy(
    actor: MaybeActor,
    userIds: readonly number[],
    query: ListQuery,
  ): Promise<ReadonlyMap<number, Slice<RedemptionUse>>> {
    return readUses(this.deps.redemptions.manager, 'userId', visibleUsers(actor, userIds, 'codes'), query);
  }

  /**
   * Exports codes as CSV, oldest first.
   * @throws AppError INSUFFICIENT_PRIVILEGES below admin, CONFIRMATION_NEEDED, before the first piece
   */
  export(actor: MaybeActor, filter: RedemptionFilter): AsyncIterable<string> {
    const admin = requirePermission(actor, 'codes');
    requireConfirmed(admin);
    return csvPieces(codeColumns, {
      rowsPerRead: codesAtOnce,
      read: (behind?: Redemption) =>
        redemptionQuery(this.deps, filter)
          .addSelect('redemption.keySealed')
          .andWhere('redemption.id > :behind', { behind: behind?.id ?? 0 })
          .orderBy('redemption.id', 'ASC')
          .limit(codesAtOnce)
          .getMany(),
      show: (rows) => rows.map((row) => this.keyed(admin, row)),
    });
  }

  /** @throws AppError NOT_FOUND */
  async get(actor: MaybeActor, id: number): Promise<KeyedRedemption> {
    return this.find(this.deps.redemptions.manager, requirePermission(actor, 'codes'), id);
  }

  /**
   * Creates codes.
   * @param idempotencyKey a retry with the same key returns the codes of the first call, without those deleted since
   * @returns the new codes, in order. A named access token also gets their text, because it has just created them
   * @throws AppError INVALID_INPUT, CONFLICT
   */
  async create(
    actor: MaybeActor,
    given: InputOf<NewRedemptions>,
    idempotencyKey?: string | null,
  ): Promise<{ codes: KeyedRedemption[]; replayed: boolean }> {
    const admin = requirePermission(actor, 'codes');
    const wanted = parseNew(given);
    // The digest of the input is not keyed, so it must not contain the code itself.
    const input = { ...wanted, key: this.deps.secrets.hash(wanted.key).toString('hex') };
    // The ids are stored, not the codes: results of idempotency keys are not encrypted.
    const { result: ids, replayed } = await this.deps.idempotency.once(
      admin,
      { operation: 'createRedemptions', key: idempotencyKey, input },
      (manager) => this.insert(manager, admin, wanted),
    );
    const rows = await redemptionQuery(this.deps, { ids })
      .addSelect('redemption.keySealed')
      .orderBy('redemption.id', 'ASC')
      .getMany();
    return { codes: rows.map((row) => this.opened(row)), replayed };
  }

  /** @returns ids of the new codes */
  private async insert(manager: EntityManager, admin: Actor, wanted: NewRedemptions): Promise<number[]> {
    const { count, key, ...fields } = wanted;
    const { secrets, clock } = this.deps;
    if (fields.planId !== null && !(await manager.existsBy(Plan, { id: fields.planId }))) {
      throw new InvalidInputError('There is no such plan', 'planId');
    }
    const createdAt = new Date(clock.now());
    const ids: number[] = [];
    while (ids.length < count) {
      const rows = Array.from({ length: Math.min(count - ids.length, codesAtOnce) }, () => {
        const code = key === '' ? randomUUID().replaceAll('-', '') : key;
        return { ...fields, userId: admin.id, keyHash: secrets.hash(code), keySealed: secrets.seal(code), createdAt };
      });
      const { identifiers } = await manager.insert(Redemption, rows).catch((error: unknown) => {
        throw isUniqueViolation(error, 'redemptions_key_hash')
          ? new ConflictError('Code already exists', 'key')
          : error;
      });
      const created = (identifiers as Array<{ id: number }>).map(({ id }) => id);
      await this.deps.auditLog.write(manager, admin, ...created.map((id) => changeOf('create', id, null, fields)));
      ids.push(...created);
    }
    await this.log(manager, admin, `Created ${count} codes (${fields.name})`);
    return ids;
  }

  /**
   * Changes an unused code. Absent fields keep their value.
   * @throws AppError INVALID_INPUT, NOT_FOUND
   */
  async update(actor: MaybeActor, id: number, given: InputOf<RedemptionFields>): Promise<KeyedRedemption> {
    return this.change(requirePermission(actor, 'codes'), id, 'Changed', ({ redemption }) => {
      if (redemption.status !== 'enabled') {
        throw new InvalidInputError('Only an unused code can be edited', 'status');
      }
      return parseFields(given, redemption);
    });
  }

  /**
   * Enables or disables a code. A used code keeps its status.
   * @throws AppError INVALID_INPUT, NOT_FOUND
   */
  async setStatus(actor: MaybeActor, id: number, status: Exclude<RedemptionStatus, 'used'>): Promise<KeyedRedemption> {
    const admin = requirePermission(actor, 'codes');
    const word = status === 'enabled' ? 'Enabled' : 'Disabled';
    return this.change(admin, id, word, ({ redemption }) => {
      if (redemption.status === 'used') {
        throw new InvalidInputError('A used code cannot be enabled or disabled', 'status');
      }
      return { status };
    });
  }

  /** @throws AppError NOT_FOUND */
  async delete(actor: MaybeActor, id: number): Promise<void> {
    const admin = requirePermission(actor, 'codes');
    const gone = await this.remove(admin, { ids: [id] }, `Deleted code ${id}`);
    if (gone === 0) throw new NotFoundError('Redemption code', id);
  }

  /** @param name the full name */
  async countByName(actor: MaybeActor, name: string): Promise<number> {
    requirePermission(actor, 'codes');
    return this.deps.redemptions.countBy({ name: checkedName(name) });
  }

  /** @returns how many codes were deleted */
  async deleteByName(actor: MaybeActor, name: string): Promise<number> {
    const admin = requirePermission(actor, 'codes');
    const exact = checkedName(name);
    return this.remove(admin, { name: exact }, `Deleted the codes named ${exact}`);
  }

  /** @returns how many codes were deleted */
  async deleteDisabled(actor: MaybeActor): Promise<number> {
    const admin = requirePermission(actor, 'codes');
    return this.remove(admin, { statuses: ['disabled'] }, 'Deleted the disabled codes');
  }

  /** @returns how many codes were deleted */
  async deleteMatching(actor: MaybeActor, filter: RedemptionFilter): Promise<number> {
    return this.remove(requirePermission(actor, 'codes'), filter, 'Deleted codes');
  }

  /** @returns how many unused codes were disabled */
  async disableMatching(actor: MaybeActor, filter: RedemptionFilter): Promise<number> {
    const admin = requirePermission(actor, 'codes');
    return this.deps.redemptions.manager.transaction(async (manager) => {
      let done = 0;
      // Disabled rows are not found again.
      for (let found = maxIds; found === maxIds; done += found) {
        const rows = await this.lock(manager, filter, { maximum: maxIds, only: 'enabled' });
        found = rows.length;
        await this.disableRows(manager, admin, rows);
      }
      return done;
    });
  }

  /**
   * Disables the unused codes among these.
   * @throws AppError INVALID_INPUT for no ids or too many
   */
  async disable(actor: MaybeActor, ids: readonly number[]): Promise<BulkResult> {
    const admin = requirePermission(actor, 'codes');
    assertIdList(ids, 'ID list must not be empty');
    const known = ids.filter((id) => Number.isSafeInteger(id) && id > 0 && id <= maxInt32);
    return this.deps.redemptions.manager.transaction(async (manager) => {
      const rows = await this.lock(manager, { ids: known });
      const open = rows.filter(({ status }) => status === 'enabled');
      await this.disableRows(manager, admin, open);
      const statusOf = new Map(rows.map((row) => [row.id, row.status]));
      const failed = ids.flatMap((id): BulkFailure[] => {
        const before = statusOf.get(id);
        if (before === 'enabled') return [];
        if (before === undefined) return [{ id, code: 'NOT_FOUND', message: `Redemption code ${id} not found` }];
        return [{ id, code: 'CONFLICT', message: `Code ${id} is not unused` }];
      });
      return { done: open.map(({ id }) => id), failed };
    });
  }

  private async disableRows(manager: EntityManager, admin: Actor, rows: readonly Redemption[]): Promise<void> {
    if (rows.length === 0) return;
    const status = 'disabled';
    await manager.update(Redemption, { id: In(rows.map(({ id }) => id)) }, { status });
    const changes = rows.map((row) => changeOf('update', row.id, row, { ...row, status }));
    await this.log(manager, admin, `Disabled ${rows.length} codes`, changes);
  }

  /** Locks codes in the order of ids, like every other transaction that locks several rows. */
  private lock(
    manager: EntityManager,
    filter: RedemptionFilter,
    { maximum, only }: { readonly maximum?: number; readonly only?: RedemptionStatus } = {},
  ): Promise<Redemption[]> {
    const select = redemptionQuery(
      { redemptions: manager.getRepository(Redemption), secrets: this.deps.secrets },
      filter,
    );
    if (only) select.andWhere('redemption.status = :only', { only });
    return select.orderBy('redemption.id', 'ASC').limit(maximum).setLock('for_no_key_update').getMany();
  }

  private async change(
    admin: Actor,
    id: number,
    word: string,
    decide: (before: KeyedRedemption) => Partial<Redemption>,
  ): Promise<KeyedRedemption> {
    return this.deps.redemptions.manager.transaction(async (manager) => {
      // Redeeming takes this lock too, so the decision is based on the current row.
      await manager.query('SELECT 1 FROM redemptions WHERE id = $1 FOR NO KEY UPDATE', [id]);
      const before = await this.find(manager, admin, id);
      await manager.update(Redemption, { id }, decide(before));
      const after = await this.find(manager, admin, id);
      const change = changeOf('update', id, before.redemption, after.redemption);
      await this.log(manager, admin, `${word} code ${id} (${before.redemption.name})`, [change]);
      return after;
    });
  }

  private async remove(admin: Actor, filter: RedemptionFilter, content: string): Promise<number> {
    return this.deps.redemptions.manager.transaction(async (manager) => {
      let gone = 0;
      // Each statement deletes as many rows as it can name. Deleted rows are not found again.
      for (let found = maxIds; found === maxIds; gone += found) {
        const rows = await this.lock(manager, filter, { maximum: maxIds });
        found = rows.length;
        await manager.softDelete(Redemption, { id: In(rows.map(({ id }) => id)) });
        await this.deps.auditLog.write(manager, admin, ...rows.map((row) => changeOf('delete', row.id, row, null)));
      }
      if (gone > 0) await this.log(manager, admin, `${content}: ${gone}`);
      return gone;
    });
  }

  private async find(manager: EntityManager, admin: Actor, id: number): Promise<KeyedRedemption> {
    const row = await manager
      .createQueryBuilder(Redemption, 'redemption')
      .addSelect('redemption.keySealed')
      .where('redemption.id = :id', { id })
      .getOne();
    if (!row) throw new NotFoundError('Redemption code', id);
    return this.keyed(admin, row);
  }

  private keyed(admin: Actor, redemption: Redemption): KeyedRedemption {
    return hasScope(admin, 'KEYS_READ') ? this.opened(redemption) : { redemption, key: hiddenKey };
  }

  private opened(redemption: Redemption): KeyedRedemption {
    return { redemption, key: this.deps.secrets.open(redemption.keySealed) };
  }

  private async log(manager: EntityManager, admin: Actor, content: string, changes: AuditChange[] = []): Promise<void> {
    const { id, username } = admin;
    await this.deps.usageLog.record(manager, { type: LogType.manage, userId: id, username, content });
    await this.deps.auditLog.write(manager, admin, ...changes);
  }
}

type Audited = Pick<Redemption, 'name' | 'quota' | 'validFrom' | 'validUntil' | 'isGift' | 'maxUses'> & {
  readonly status?: RedemptionStatus;
};

/** Returns the audited fields, without the code. */
const auditedFields = (row: Audited): Record<string, unknown> => ({
  name: row.name,
  quota: row.quota,
  status: row.status ?? 'enabled',
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
