import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { EntityManager, Repository, SelectQueryBuilder } from 'typeorm';
import type { Idempotency } from '../../platform/idempotency/idempotency.js';
import { advisoryLocks } from '../../platform/db/advisory-locks.js';
import { readSlice, type SortKeys } from '../../platform/db/keyset.js';
import { requirePermission, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditChange, AuditLog } from '../../shared/audit.js';
import { ConflictError, ForbiddenError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import { siteAddress } from '../../shared/site-address.js';
import type { QueryChecks, QueryShape, StoredQuery } from '../../shared/stored-query.js';
import { builtInDashboards } from './built-in.js';
import { Dashboard, type Visibility } from './dashboard.entity.js';
import { toGrafana, type ShapedPanel } from './grafana.js';
import { parseName, parsePanel, parsePanels, type Panel } from './panel.js';
import { exampleValues } from './viewer-variables.js';

/** Maximum number of dashboards of one user. */
const maxOwned = 100;
/** Maximum number of characters of remembered checks. One of a usual panel has about 500. */
const maxRemembered = 8_000_000;

/** Where the response of a stored panel has its rows, or why its query is not run. */
export interface StoredCheck {
  readonly shape: QueryShape | null;
  readonly refusal: string | null;
}

export interface DashboardDeps {
  readonly dashboards: Repository<Dashboard>;
  readonly auditLog: AuditLog;
  readonly idempotency: Pick<Idempotency, 'once'>;
  readonly options: { readonly values: { readonly ServerAddress: string } };
  readonly queries: QueryChecks;
}

/** Conditions on dashboards. Absent fields do not restrict. */
export interface DashboardFilter {
  readonly visibility?: Visibility;
  readonly isMine?: boolean;
  readonly builtIn?: string;
}

export type DashboardSortField = 'id' | 'name' | 'updatedAt';

const sortKeys: SortKeys<Dashboard, DashboardSortField> = {
  id: { sql: 'dashboard.id', value: ({ id }) => id },
  name: { sql: 'lower(dashboard.name)', value: ({ name }) => name.toLowerCase() },
  updatedAt: { sql: "date_trunc('milliseconds', dashboard.updated_at)", value: ({ updatedAt }) => updatedAt },
};

export interface NewDashboard {
  readonly name: string;
  readonly visibility: Visibility;
  readonly panels: readonly unknown[];
}

/**
 * Saved dashboards of everyone who reads usage of the site. Queries are checked here, and never run here: the console
 * runs them with the rights of the viewer.
 */
export class DashboardService {
  private readonly checks = new LRUCache<string, StoredCheck>({
    maxSize: maxRemembered,
    sizeCalculation: (check, key) => key.length + JSON.stringify(check).length,
  });

  constructor(private readonly deps: DashboardDeps) {}

  /** Writes the built-in dashboards of this version. Their ids stay, so that links stay. */
  async start(): Promise<void> {
    await this.deps.dashboards.query(
      `INSERT INTO dashboards (built_in, name, visibility, panels)
       SELECT given.built_in, given.name, 'shared', given.panels
         FROM json_to_recordset($1) AS given(built_in text, name text, panels json)
       ON CONFLICT (built_in) DO UPDATE SET name = excluded.name, panels = excluded.panels, updated_at = now()
         WHERE dashboards.name <> excluded.name OR dashboards.panels::jsonb <> excluded.panels::jsonb`,
      [JSON.stringify(builtInDashboards.map(({ key, name, panels }) => ({ built_in: key, name, panels })))],
    );
  }

  /** Returns own and shared dashboards, by name unless sorted. */
  async list(
    actor: MaybeActor,
    filter: DashboardFilter,
    query: ListQuery<DashboardSortField>,
  ): Promise<Slice<Dashboard>> {
    const reader = requirePermission(actor, 'usage.read');
    const select = this.visible(reader);
    if (filter.visibility !== undefined) select.andWhere('dashboard.visibility = :visibility', filter);
    if (filter.isMine !== undefined) {
      select.andWhere(`(dashboard.owner_id IS NOT DISTINCT FROM :own) = :isMine`, { own: reader.id, ...filter });
    }
    if (filter.builtIn !== undefined) select.andWhere('dashboard.builtIn = :builtIn', filter);
    return readSlice<Dashboard, DashboardSortField>(select, query, sortKeys, { field: 'name', direction: 'ASC' });
  }

  /** @throws AppError NOT_FOUND, also for private dashboards of others */
  async get(actor: MaybeActor, id: number): Promise<Dashboard> {
    const reader = requirePermission(actor, 'usage.read');
    const dashboard = await this.visible(reader).andWhere('dashboard.id = :id', { id }).getOne();
    if (!dashboard) throw new NotFoundError('Dashboard', id);
    return dashboard;
  }

  /**
   * Checks a panel as saving would.
   * @throws AppError INVALID_INPUT, INSUFFICIENT_PRIVILEGES
   */
  check(actor: MaybeActor, given: unknown): Panel {
    const author = requirePermission(actor, 'usage.read');
    const panel = parsePanel(given);
    this.deps.queries.check(panel, exampleValues, 'panel', author);
    return panel;
  }

  /**
   * Checks a stored panel: the schema of this version may refuse it. The result is remembered, because a check takes
   * milliseconds and the schema stays the same while the server runs.
   */
  checkStored({ query, variables, numbers = null }: Panel): StoredCheck {
    const key = createHash('sha256')
      .update(JSON.stringify([query, variables, numbers]))
      .digest('base64');
    const known = this.checks.get(key);
    if (known) return known;
    const check = this.readCheck({ query, variables, numbers });
    this.checks.set(key, check);
    return check;
  }

  private readCheck(stored: StoredQuery): StoredCheck {
    try {
      return { shape: this.deps.queries.check(stored, exampleValues, 'panel', null), refusal: null };
    } catch (error) {
      if (error instanceof InvalidInputError) return { shape: null, refusal: error.message };
      throw error;
    }
  }

  /** Returns a dashboard for Grafana, without panels that are refused. */
  exported(dashboard: Dashboard): object {
    const panels = dashboard.panels.flatMap((panel): ShapedPanel[] => {
      const { shape } = this.checkStored(panel);
      return shape ? [{ ...panel, shape }] : [];
    });
    return toGrafana(dashboard, panels, siteAddress(this.deps.options.values.ServerAddress));
  }

  /** Whether the actor may change a dashboard: its owner, and root a shared one. */
  mayChange(actor: MaybeActor, { ownerId, builtIn, visibility }: Dashboard): boolean {
    if (!actor || builtIn !== null) return false;
    return ownerId === actor.id || (actor.role === 'root' && visibility === 'shared');
  }

  /**
   * @param idempotencyKey a retry with the same key returns the dashboard of the first call
   * @throws AppError INVALID_INPUT, INSUFFICIENT_PRIVILEGES (panels that the caller may not read), CONFLICT (too many dashboards)
   */
  async create(
    actor: MaybeActor,
    given: NewDashboard,
    idempotencyKey?: string | null,
  ): Promise<{ dashboard: Dashboard; replayed: boolean }> {
    const owner = requirePermission(actor, 'usage.read');
    const fields = { name: parseName(given.name), visibility: given.visibility, panels: parsePanels(given.panels) };
    this.assertAllowed(owner, fields.panels);
    const request = { operation: 'createDashboard', key: idempotencyKey, input: fields };
    const { result: id, replayed } = await this.deps.idempotency.once(owner, request, async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock($1, $2)', [advisoryLocks.newDashboards, owner.id]);
      if ((await manager.countBy(Dashboard, { ownerId: owner.id })) >= maxOwned) {
        throw new ConflictError(`A user can have at most ${maxOwned} dashboards`);
      }
      const { id: created } = await manager.save(Dashboard, { ...fields, ownerId: owner.id, builtIn: null });
      await this.audit(manager, owner, { action: 'create', id: created, before: null, after: fields });
      return created;
    });
    return { dashboard: await this.get(owner, id), replayed };
  }

  /**
   * @throws AppError INVALID_INPUT, NOT_FOUND, CONFLICT (built in), INSUFFICIENT_PRIVILEGES (of another user, or panels
   *   that the caller may not read)
   */
  async update(actor: MaybeActor, id: number, given: Partial<NewDashboard>): Promise<Dashboard> {
    const editor = requirePermission(actor, 'usage.read');
    const fields = omitUndefined({
      name: given.name === undefined ? undefined : parseName(given.name),
      visibility: given.visibility,
      panels: given.panels === undefined ? undefined : parsePanels(given.panels),
    });
    if (Object.keys(fields).length === 0) throw new InvalidInputError('Nothing to change');
    return this.deps.dashboards.manager.transaction(async (manager) => {
      const before = await this.lock(manager, editor, id);
      // Panels that now reach others are checked again: their author may have lost rights.
      const isNewlyShared = before.visibility === 'private' && fields.visibility === 'shared';
      if (fields.panels || isNewlyShared) this.assertAllowed(editor, fields.panels ?? before.panels);
      const after = await manager.save(Dashboard, { ...before, ...fields });
      await this.audit(manager, editor, { action: 'update', id, before: audited(before), after: audited(after) });
      return after;
    });
  }

  /** @throws AppError NOT_FOUND, CONFLICT (built in), INSUFFICIENT_PRIVILEGES (of another user) */
  async delete(actor: MaybeActor, id: number): Promise<void> {
    const editor = requirePermission(actor, 'usage.read');
    await this.deps.dashboards.manager.transaction(async (manager) => {
      const before = await this.lock(manager, editor, id);
      await manager.delete(Dashboard, { id });
      await this.audit(manager, editor, { action: 'delete', id, before: audited(before), after: null });
    });
  }

  private assertAllowed(author: Actor, panels: readonly Panel[]): void {
    panels.forEach((panel, index) => this.deps.queries.check(panel, exampleValues, `panels.${index}`, author));
  }

  private visible(reader: Actor): SelectQueryBuilder<Dashboard> {
    return this.deps.dashboards
      .createQueryBuilder('dashboard')
      .where(`(dashboard.visibility = 'shared' OR dashboard.owner_id = :reader)`, { reader: reader.id });
  }

  private async lock(manager: EntityManager, editor: Actor, id: number): Promise<Dashboard> {
    const dashboard = await manager.findOne(Dashboard, { where: { id }, lock: { mode: 'pessimistic_write' } });
    const isVisible = dashboard?.visibility === 'shared' || dashboard?.ownerId === editor.id;
    if (!dashboard || !isVisible) throw new NotFoundError('Dashboard', id);
    if (dashboard.builtIn !== null) throw new ConflictError('A built-in dashboard cannot be changed. Copy it.');
    if (!this.mayChange(editor, dashboard)) throw new ForbiddenError('Only its owner changes a dashboard. Copy it.');
    return dashboard;
  }

  private audit(manager: EntityManager, actor: Actor, change: Omit<AuditChange, 'subject'>): Promise<void> {
    return this.deps.auditLog.write(manager, actor, { ...change, subject: 'dashboard' });
  }
}

const audited = ({ name, visibility, panels }: Dashboard) => ({ name, visibility, panels });
