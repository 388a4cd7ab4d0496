import type { EntityManager, Repository, SelectQueryBuilder } from 'typeorm';
import { Token } from '../../billing/accounts/index.js';
import type { SharedState } from '../../platform/cache/shared-state.js';
import type { Changes } from '../../platform/cache/changes.js';
import { readSlice, type SortKeys } from '../../platform/db/keyset.js';
import { holds, personOf, requireAccount, requireConfirmed, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditChange, AuditLog } from '../../shared/audit.js';
import { isRate, rateKey, rateSeconds, type BudgetLevel } from '../../shared/budget.js';
import { dateOf, unixSecond, type Clock } from '../../shared/clock.js';
import { csvPieces } from '../../shared/csv.js';
import { InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { sliceOfList, type ListQuery, type Slice } from '../../shared/page.js';
import { pick } from '../../shared/snake-case.js';
import type { Idempotency } from '../../platform/idempotency/idempotency.js';
import {
  Budget,
  type BudgetPatch,
  type BudgetState,
  type BudgetView,
  maxPerSubject,
  type NewBudget,
  parseBudgetPatch,
  parseNewBudget,
  readBudgetStates,
  usedShare,
} from '../../billing/budgets/index.js';
import { assertMayChange, assertMayLimit, checkSubject, ofUser, readableBy } from './budget-access.js';
import { budgetColumns } from './budget-csv.js';

/** Conditions on budgets. Absent fields do not restrict. */
export interface BudgetFilter {
  readonly level?: BudgetLevel;
  readonly subjectId?: number;
  readonly groupName?: string;
  /** Restricts to budgets of a user and of the user's keys, or of an organisation with its members and projects. */
  readonly userId?: number;
  /** Restricts to budgets of which at least this share is used in the open window. */
  readonly usedAtLeast?: number;
}

interface Shared {
  readonly budget: Budget;
  readonly share: number | null;
}

export type BudgetSortField = 'id' | 'level' | 'amount' | 'usedShare';

export interface BudgetDeps {
  readonly budgets: Repository<Budget>;
  readonly changes: Changes;
  readonly auditLog: AuditLog;
  readonly clock: Clock;
  readonly state: Pick<SharedState, 'count'>;
  readonly idempotency: Pick<Idempotency, 'once'>;
}

const exportBatch = 500;

/** Maximum number of budgets whose use is compared. Windows depend on time zones, so the database cannot compare it. */
const maxCompared = 2000;

const sortKeys: SortKeys<Budget, Exclude<BudgetSortField, 'usedShare'>> = {
  id: { sql: 'budget.id', value: ({ id }) => id },
  level: { sql: 'budget.level', value: ({ level }) => level },
  amount: { sql: 'budget.amount', value: ({ amount }) => amount },
};

/**
 * Owners set budgets of their keys, admins those of lower users, groups, channels and the site. Budgets that an admin set
 * are read-only for their owners, also for owners who are admins.
 */
export class BudgetService {
  constructor(private readonly deps: BudgetDeps) {}

  /**
   * Returns budgets, the newest first unless sorted. Admins read all budgets, other users those of their keys and of
   * themselves.
   */
  async list(actor: MaybeActor, filter: BudgetFilter, query: ListQuery<BudgetSortField>): Promise<Slice<BudgetView>> {
    const select = this.query(requireAccount(actor, 'keys.own'), filter);
    const byShare = query.sort.find(({ field }) => field === 'usedShare');
    const { usedAtLeast } = filter;
    if (byShare || usedAtLeast !== undefined) {
      const shares = await this.sharesOf(select);
      const used = shares.filter(({ share }) => usedAtLeast === undefined || (share !== null && share >= usedAtLeast));
      if (byShare) return this.listByShare(used, query);
      select.andWhere('budget.id = ANY (:used)', { used: used.map(({ budget }) => budget.id) });
    }
    const page = await readSlice<Budget, keyof typeof sortKeys>(
      select,
      query as ListQuery<keyof typeof sortKeys>,
      sortKeys,
    );
    return { ...page, items: await this.viewed(page.items) };
  }

  /** @throws AppError INVALID_INPUT for further sorts */
  private async listByShare(shares: readonly Shared[], query: ListQuery<BudgetSortField>): Promise<Slice<BudgetView>> {
    if (query.sort.length > 1) throw new InvalidInputError('USED_SHARE is the only key of its list', 'sort');
    const direction = query.sort[0]?.direction === 'ASC' ? 1 : -1;
    const known = shares.flatMap(({ budget, share }) => (share === null ? [] : [{ budget, share }]));
    const sorted = [
      ...known.sort((one, two) => direction * (one.share - two.share || one.budget.id - two.budget.id)),
      ...shares.filter(({ share }) => share === null),
    ];
    const page = sliceOfList(sorted, query, ({ budget }) => String(budget.id));
    return { ...page, items: await this.viewed(page.items.map(({ budget }) => budget)) };
  }

  /** @throws AppError INVALID_INPUT for too many budgets */
  private async sharesOf(select: SelectQueryBuilder<Budget>): Promise<Shared[]> {
    const budgets = await select
      .clone()
      .limit(maxCompared + 1)
      .getMany();
    if (budgets.length > maxCompared) {
      throw new InvalidInputError(`Use is compared of at most ${maxCompared} budgets: filter them`, 'filter');
    }
    const states = await this.statesOf(budgets);
    return budgets.map((budget) => ({ budget, share: usedShare(budget, states.get(budget.id) ?? null) }));
  }

  /** @throws AppError NOT_FOUND, also for budgets that the caller may not read */
  async get(actor: MaybeActor, id: number): Promise<BudgetView> {
    const budget = await this.query(requireAccount(actor, 'keys.own'), {}).andWhere('budget.id = :id', { id }).getOne();
    const [view] = budget ? await this.viewed([budget]) : [];
    if (!view) throw new NotFoundError('Budget', id);
    return view;
  }

  /**
   * Exports all budgets that the caller may read, as pieces of a CSV file.
   * @throws AppError CONFIRMATION_NEEDED for admins
   */
  export(actor: MaybeActor, filter: BudgetFilter): AsyncIterable<string> {
    const reader = requireAccount(actor, 'keys.own');
    if (holds(reader, 'budgets')) requireConfirmed(reader);
    return csvPieces(budgetColumns, {
      rowsPerRead: exportBatch,
      read: (behind?: Budget) =>
        this.query(reader, filter)
          .andWhere('budget.id > :behind', { behind: behind?.id ?? 0 })
          .orderBy('budget.id')
          .limit(exportBatch)
          .getMany(),
      show: (budgets) => this.viewed(budgets),
    });
  }

  /**
   * @param idempotencyKey a retry with the same key returns the budget of the first call
   * @throws AppError INVALID_INPUT, NOT_FOUND (key, user or channel; the budget of the first call was deleted),
   * CONFLICT (same key, other input), INSUFFICIENT_PRIVILEGES
   */
  async create(
    actor: MaybeActor,
    given: NewBudget,
    idempotencyKey?: string | null,
  ): Promise<BudgetView & { replayed: boolean }> {
    const creator = requireAccount(actor, 'keys.own');
    if (given.level !== 'token') assertMayLimit(creator, given.level);
    const fields = parseNewBudget(given);
    const request = { operation: 'createBudget', key: idempotencyKey ?? null, input: fields };
    const { result: id, replayed } = await this.deps.idempotency.once(creator, request, async (manager) => {
      const byAdmin = await checkSubject(manager, creator, fields);
      await manager.query('SELECT pg_advisory_xact_lock(hashtext($1))', [
        `budgets:${fields.level}:${fields.subjectId}:${fields.groupName}`,
      ]);
      const { level, subjectId, groupName } = fields;
      if ((await manager.countBy(Budget, { level, subjectId, groupName })) >= maxPerSubject) {
        throw new InvalidInputError(`At most ${maxPerSubject} budgets of one ${level}`, 'level');
      }
      const { identifiers } = await manager.insert(Budget, { ...fields, createdBy: personOf(creator).id, byAdmin });
      const created = (identifiers[0] as { id: number }).id;
      if (byAdmin || creator.membership)
        await this.audit(manager, creator, { action: 'create', id: created, before: null, after: audited(fields) });
      return created;
    });
    if (!replayed) await this.announce(fields);
    return { ...(await this.get(actor, id)), replayed };
  }

  /**
   * Changes the amount, the models and whether the budget is enabled.
   * @throws AppError INVALID_INPUT, NOT_FOUND, INSUFFICIENT_PRIVILEGES
   */
  async update(actor: MaybeActor, id: number, given: Partial<BudgetPatch>): Promise<BudgetView> {
    const editor = requireAccount(actor, 'keys.own');
    const { budget } = await this.get(actor, id);
    await assertMayChange(this.deps.budgets.manager, editor, budget);
    await this.deps.budgets.manager.transaction(async (manager) => {
      const before = await manager.findOne(Budget, { where: { id }, lock: { mode: 'for_no_key_update' } });
      if (!before) throw new NotFoundError('Budget', id);
      const fields = parseBudgetPatch({ ...pick(before, ['amount', 'models', 'enabled']), ...omitUndefined(given) });
      await manager.update(Budget, { id }, fields);
      if (holds(editor, 'budgets') || editor.membership) {
        await this.audit(manager, editor, {
          action: 'update',
          id,
          before: audited(pick(before, ['kind', 'amount', 'models', 'enabled'])),
          after: audited({ kind: before.kind, ...fields }),
        });
      }
    });
    await this.announce(budget);
    return this.get(actor, id);
  }

  /**
   * Deletes a budget with its counted use.
   * @throws AppError NOT_FOUND, INSUFFICIENT_PRIVILEGES
   */
  async delete(actor: MaybeActor, id: number): Promise<void> {
    const editor = requireAccount(actor, 'keys.own');
    const { budget } = await this.get(actor, id);
    await assertMayChange(this.deps.budgets.manager, editor, budget);
    await this.deps.budgets.manager.transaction(async (manager) => {
      await manager.delete(Budget, { id });
      await manager.query('DELETE FROM budget_windows WHERE budget_id = $1', [id]);
      if (holds(editor, 'budgets') || editor.membership) {
        await this.audit(manager, editor, { action: 'delete', id, before: audited(budget), after: null });
      }
    });
    await this.announce(budget);
  }

  private query(reader: Actor, { level, subjectId, groupName, userId }: BudgetFilter): SelectQueryBuilder<Budget> {
    // Windows of plans belong to their subscriptions.
    const query = this.deps.budgets.createQueryBuilder('budget').where("budget.level <> 'plan'");
    if (level !== undefined) query.andWhere('budget.level = :level', { level });
    if (subjectId !== undefined) query.andWhere('budget.subjectId = :subjectId', { subjectId });
    if (userId !== undefined) query.andWhere(ofUser, { owner: userId });
    if (groupName !== undefined) query.andWhere('budget.groupName = :groupName', { groupName });
    if (!holds(reader, 'budgets')) {
      query.andWhere(...readableBy(reader));
    }
    return query;
  }

  /** Announces a change. Every node applies it within a second. */
  private async announce({ level, subjectId }: Pick<Budget, 'level' | 'subjectId'>): Promise<void> {
    const { changes } = this.deps;
    if (level === 'token' || level === 'user') await changes.announce({ kind: level, id: subjectId });
    else if (level === 'member' || level === 'project') {
      const which = level === 'member' ? { memberId: subjectId } : { projectId: subjectId };
      const keys = await this.deps.budgets.manager.findBy(Token, which);
      await changes.announce(...keys.map(({ id }) => ({ kind: 'token' as const, id })));
    } else await changes.announce({ kind: 'budget' });
  }

  private async audit(manager: EntityManager, actor: Actor, change: Omit<AuditChange, 'subject'>): Promise<void> {
    await this.deps.auditLog.write(manager, actor, { ...change, subject: 'budget' });
  }

  private async viewed(budgets: readonly Budget[]): Promise<BudgetView[]> {
    const [names, states] = await Promise.all([this.namesOf(budgets), this.statesOf(budgets)]);
    return budgets.map((budget) => ({
      budget,
      subjectName: budget.level === 'group' ? budget.groupName : (names.get(budget.id) ?? ''),
      state: states.get(budget.id) ?? null,
    }));
  }

  /** Reads the use of budgets. Limits per minute are counted in the shared state, all others in the database. */
  private async statesOf(budgets: readonly Budget[]): Promise<Map<number, BudgetState>> {
    const now = this.deps.clock.now();
    const states = await readBudgetStates(
      this.deps.budgets,
      budgets.filter((budget) => !isRate(budget)),
      now,
    );
    const second = unixSecond(now);
    const read = { second, window: rateSeconds, amount: 0, limit: 0, alone: false };
    const sums = await Promise.all(
      budgets.filter(isRate).map(async ({ id }) => ({ id, ...(await this.deps.state.count(rateKey(id), read)) })),
    );
    for (const { id, sum } of sums)
      states.set(id, { start: dateOf(second - rateSeconds), end: null, used: sum, held: 0 });
    return states;
  }

  private async namesOf(budgets: readonly Budget[]): Promise<Map<number, string>> {
    const rows = await this.deps.budgets.query<Array<{ id: number; name: string }>>(
      `SELECT b.id, coalesce(t.name, u.username, p.name, c.name) AS name FROM budgets b
       LEFT JOIN tokens t ON b.level = 'token' AND t.id = b.subject_id
       LEFT JOIN memberships m ON b.level = 'member' AND m.id = b.subject_id
       LEFT JOIN users u ON u.id = CASE b.level WHEN 'user' THEN b.subject_id WHEN 'member' THEN m.user_id END
       LEFT JOIN projects p ON b.level = 'project' AND p.id = b.subject_id
       LEFT JOIN channels c ON b.level = 'channel' AND c.id = b.subject_id
       WHERE b.id = ANY ($1::integer[])`,
      [budgets.map(({ id }) => id)],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}

/**
 * Returns the fields of a budget for the audit log. An amount of money has its own name, because it is read without the
 * other fields.
 */
const audited = ({
  amount,
  ...fields
}: Pick<Budget, 'kind' | 'amount'> & Partial<Budget>): Record<string, unknown> => ({
  ...fields,
  ...(fields.kind === 'money' ? { quota: amount } : { amount }),
});
