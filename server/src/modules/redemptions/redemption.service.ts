import { randomUUID } from 'node:crypto';
import { Brackets, In, type EntityManager, type FindOptionsWhere, type Repository } from 'typeorm';
import { requireRole, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditChange, UsageLog, AuditLog } from '../../shared/audit.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { ConflictError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { assertIdList, maxIds } from '../../shared/id-list.js';
import { escapeLike, type Page, type PageQuery } from '../../shared/page.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import type { Secrets } from '../../shared/secrets.js';
import { LogType } from '../logs/log.entity.js';
import {
  newRedemptionDefaults,
  parseFields,
  parseNew,
  type NewRedemptions,
  type RedemptionFields,
} from './redemption-input.js';
import { Redemption, RedemptionStatus } from './redemption.entity.js';
import { maxInt32 } from '../../shared/limits.js';

export type { NewRedemptions, RedemptionFields };

export interface RedemptionFilter {
  /** The beginning of the name, an id, or the whole code. */
  readonly keyword?: string;
  readonly status?: number;
  readonly isGift?: boolean;
}

/** A row with its code in clear: for admins only. */
export interface KeyedRedemption {
  readonly redemption: Redemption;
  readonly key: string;
}

export interface RedemptionDeps {
  readonly redemptions: Repository<Redemption>;
  readonly secrets: Secrets;
  readonly usageLog: UsageLog;
  readonly auditLog: AuditLog;
  readonly clock: Clock;
}

/** Administration of redemption and gift codes. Users redeem them through `RedeemService`. */
export class RedemptionService {
  constructor(private readonly deps: RedemptionDeps) {}

  /** Newest first unless sorted. @throws AppError INSUFFICIENT_PRIVILEGES below admin */
  async list(actor: MaybeActor, filter: RedemptionFilter, page: PageQuery): Promise<Page<KeyedRedemption>> {
    requireRole(actor, 'admin');
    const query = this.deps.redemptions.createQueryBuilder('redemption').addSelect('redemption.keySealed');
    const { keyword, status, isGift } = filter;
    if (status !== undefined) query.andWhere('redemption.status = :status', { status });
    if (isGift !== undefined) query.andWhere('redemption.isGift = :isGift', { isGift });
    // A text column holds no NUL, so nothing begins with one.
    if (keyword) query.andWhere(this.matching(keyword.replaceAll('\0', '')));
    const field = sortField(page.sort);
    const [rows, totalCount] = await query
      .orderBy(`redemption.${field}`, page.sort?.direction ?? 'DESC')
      .addOrderBy('redemption.id', field === 'id' ? (page.sort?.direction ?? 'DESC') : 'DESC')
      .skip(page.page * page.pageSize)
      .take(page.pageSize)
      .getManyAndCount();
    return { items: rows.map((row) => this.keyed(row)), totalCount };
  }

  /** @throws AppError NOT_FOUND */
  async get(actor: MaybeActor, id: number): Promise<KeyedRedemption> {
    requireRole(actor, 'admin');
    return this.find(this.deps.redemptions.manager, id);
  }

  /** @returns the created codes in clear @throws AppError INVALID_INPUT, CONFLICT */
  async create(actor: MaybeActor, given: Partial<NewRedemptions>): Promise<string[]> {
    const admin = requireRole(actor, 'admin');
    const { count, key, ...fields } = parseNew({ ...newRedemptionDefaults, ...omitUndefined(given) });
    const keys = key === '' ? Array.from({ length: count }, () => randomUUID().replaceAll('-', '')) : [key];
    const { secrets, clock, redemptions } = this.deps;
    const rows = keys.map((one) => ({
      ...fields,
      userId: admin.id,
      keyHash: secrets.hash(one),
      keySealed: secrets.seal(one),
      createdTime: seconds(clock),
    }));
    try {
      await redemptions.manager.transaction(async (manager) => {
        const { identifiers } = await manager.insert(Redemption, rows);
        const made = (identifiers as Array<{ id: number }>).map(({ id }) => changeOf('create', id, null, fields));
        await this.log(manager, admin, `Created ${keys.length} codes (${fields.name})`, made);
      });
    } catch (error) {
      if (isUniqueViolation(error, 'redemptions_key_hash')) throw new ConflictError('Code already exists', 'key');
      throw error;
    }
    return keys;
  }

  /** Edits a code of status 1. Absent fields stay. @throws AppError INVALID_INPUT, NOT_FOUND */
  async update(actor: MaybeActor, id: number, given: Partial<RedemptionFields>): Promise<KeyedRedemption> {
    return this.change(requireRole(actor, 'admin'), id, 'Changed', ({ redemption }) => {
      if (redemption.status !== RedemptionStatus.enabled) {
        throw new InvalidInputError('Only an unused code can be edited', 'status');
      }
      return parseFields({ ...redemption, ...omitUndefined(given) });
    });
  }

  /** @param status 1 or 2; a used code stays used @throws AppError INVALID_INPUT, NOT_FOUND */
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

  /** @param name exactly */
  async countByName(actor: MaybeActor, name: string): Promise<number> {
    requireRole(actor, 'admin');
    return this.deps.redemptions.countBy({ name: checkedName(name) });
  }

  /** @returns the number deleted */
  async deleteByName(actor: MaybeActor, name: string): Promise<number> {
    const admin = requireRole(actor, 'admin');
    const exact = checkedName(name);
    return this.remove(admin, { name: exact }, `Deleted the codes named ${exact}`);
  }

  /** @returns the number deleted */
  async deleteDisabled(actor: MaybeActor): Promise<number> {
    const admin = requireRole(actor, 'admin');
    return this.remove(admin, { status: RedemptionStatus.disabled }, 'Deleted the disabled codes');
  }

  /** @returns the number changed */
  async disable(actor: MaybeActor, ids: readonly number[]): Promise<number> {
    const admin = requireRole(actor, 'admin');
    assertIdList(ids, 'ID list must not be empty');
    const known = ids.filter((id) => Number.isSafeInteger(id) && id > 0 && id <= maxInt32);
    return this.deps.redemptions.manager.transaction(async (manager) => {
      const rows = await lockWhere(manager, { id: In(known), status: RedemptionStatus.enabled });
      if (rows.length === 0) return 0;
      const status = RedemptionStatus.disabled;
      await manager.update(Redemption, { id: In(rows.map(({ id }) => id)) }, { status });
      const changes = rows.map((row) => changeOf('update', row.id, row, { ...row, status }));
      await this.log(manager, admin, `Disabled ${rows.length} codes`, changes);
      return rows.length;
    });
  }

  private matching(keyword: string): Brackets {
    return new Brackets((either) => {
      either.where('redemption.name LIKE :start', { start: `${escapeLike(keyword)}%` });
      either.orWhere('redemption.keyHash = :hash', { hash: this.deps.secrets.hash(keyword.trim()) });
      const id = /^\d{1,10}$/.test(keyword) ? Number(keyword) : 0;
      if (id > 0 && id <= maxInt32) either.orWhere('redemption.id = :id', { id });
    });
  }

  private async change(
    admin: Actor,
    id: number,
    word: string,
    decide: (before: KeyedRedemption) => Partial<Redemption>,
  ): Promise<KeyedRedemption> {
    return this.deps.redemptions.manager.transaction(async (manager) => {
      // The lock that redeeming takes, so the decision is about the current row.
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
      // In pieces of what one statement can name. Deleted rows are not found again.
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

/** Locks in id order, like every other statement that locks many rows. */
const lockWhere = (manager: EntityManager, where: FindOptionsWhere<Redemption>, take?: number): Promise<Redemption[]> =>
  manager.find(Redemption, { where, order: { id: 'ASC' }, take, lock: { mode: 'for_no_key_update' } });

type Audited = Pick<Redemption, 'name' | 'quota' | 'validFrom' | 'validUntil' | 'isGift' | 'maxUses'> & {
  readonly status?: number;
};

/** Audited fields, without the code itself. */
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

const sortable = ['id', 'name', 'status', 'quota', 'createdTime', 'redeemedTime', 'usedCount'] as const;

function sortField(sort: PageQuery['sort']): (typeof sortable)[number] {
  const field = sort ? sortable.find((name) => name === sort.field) : 'id';
  if (!field) throw new InvalidInputError('Codes cannot be sorted by this field', 'sort');
  return field;
}
