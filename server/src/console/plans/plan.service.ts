import { In, type EntityManager, type Repository } from 'typeorm';
import type { Idempotency } from '../../platform/idempotency/idempotency.js';
import { holds, requireAccount, requirePermission, type MaybeActor } from '../../shared/actor.js';
import type { AuditChange, AuditLog } from '../../shared/audit.js';
import { InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { pick } from '../../shared/snake-case.js';
import { parsePlan, Plan, type PlanInput, planTermNames } from '../../billing/plans/index.js';

export interface PlanDeps {
  readonly plans: Repository<Plan>;
  readonly auditLog: AuditLog;
  readonly idempotency: Pick<Idempotency, 'once'>;
}

const maxPlans = 200;

/** The plans that the site sells. */
export class PlanService {
  constructor(private readonly deps: PlanDeps) {}

  /** Returns the plans in the order in which they pay. Users without the permission get those on sale. */
  list(actor: MaybeActor): Promise<Plan[]> {
    const reader = requireAccount(actor, 'wallet');
    const where = holds(reader, 'prices') ? {} : { onSale: true };
    return this.deps.plans.find({ where, order: { position: 'ASC', id: 'ASC' }, take: maxPlans });
  }

  /** Reads plans for relations. Users without the permission get those on sale. */
  readMany(actor: MaybeActor, ids: readonly number[]): Promise<Plan[]> {
    const reader = requireAccount(actor, 'wallet');
    return this.deps.plans.findBy({ id: In([...ids]), ...(holds(reader, 'prices') ? {} : { onSale: true }) });
  }

  /**
   * @param idempotencyKey a retry with the same key returns the plan of the first call
   * @throws AppError INVALID_INPUT, CONFLICT, INSUFFICIENT_PRIVILEGES
   */
  async create(
    actor: MaybeActor,
    given: PlanInput,
    idempotencyKey?: string | null,
  ): Promise<{ readonly plan: Plan; readonly replayed: boolean }> {
    const editor = requirePermission(actor, 'prices');
    const fields = parsePlan(given);
    const request = { operation: 'createPlan', key: idempotencyKey ?? null, input: fields };
    const { result: id, replayed } = await this.deps.idempotency.once(editor, request, async (manager) => {
      if ((await manager.count(Plan)) >= maxPlans) throw new InvalidInputError(`At most ${maxPlans} plans`, 'name');
      const { identifiers } = await manager.insert(Plan, fields);
      const created = (identifiers[0] as { id: number }).id;
      await this.audit(manager, actor, { action: 'create', id: created, before: null, after: audited(fields) });
      return created;
    });
    return { plan: await this.get(id), replayed };
  }

  /**
   * Changes a plan for those who buy it from now on. Subscriptions keep their terms.
   * @throws AppError NOT_FOUND, INVALID_INPUT, INSUFFICIENT_PRIVILEGES
   */
  async update(actor: MaybeActor, id: number, given: Partial<PlanInput>): Promise<Plan> {
    requirePermission(actor, 'prices');
    await this.deps.plans.manager.transaction(async (manager) => {
      const before = await manager.findOne(Plan, { where: { id }, lock: { mode: 'for_no_key_update' } });
      if (!before) throw new NotFoundError('Plan', id);
      const was = inputOf(before);
      const fields = parsePlan({ ...was, ...omitUndefined(given) });
      await manager.update(Plan, { id }, fields);
      await this.audit(manager, actor, { action: 'update', id, before: audited(was), after: audited(fields) });
    });
    return this.get(id);
  }

  /**
   * Takes a plan off the list. Running subscriptions go on, and are not renewed.
   * @throws AppError NOT_FOUND, INSUFFICIENT_PRIVILEGES
   */
  async delete(actor: MaybeActor, id: number): Promise<void> {
    requirePermission(actor, 'prices');
    await this.deps.plans.manager.transaction(async (manager) => {
      const before = await manager.findOne(Plan, { where: { id }, lock: { mode: 'for_no_key_update' } });
      if (!before) throw new NotFoundError('Plan', id);
      await manager.softDelete(Plan, { id });
      await this.audit(manager, actor, { action: 'delete', id, before: audited(inputOf(before)), after: null });
    });
  }

  private async get(id: number): Promise<Plan> {
    const plan = await this.deps.plans.findOneBy({ id });
    if (!plan) throw new NotFoundError('Plan', id);
    return plan;
  }

  private audit(manager: EntityManager, actor: MaybeActor, change: Omit<AuditChange, 'subject'>): Promise<void> {
    return this.deps.auditLog.write(manager, requireAccount(actor, 'wallet'), { ...change, subject: 'plan' });
  }
}

const inputOf = (plan: Plan): PlanInput => pick(plan, [...planTermNames, 'onSale']);

const audited = ({ windows, ...fields }: PlanInput): Record<string, unknown> => ({
  ...fields,
  windows: windows.map(({ amount, kind, span }) => `${amount} ${kind} ${span}`),
});
