import type { EntityManager, Repository } from 'typeorm';
import { readSlicesByOwner, viewSlices, type SortKeys } from '../../platform/db/keyset.js';
import { requireActor, requirePermission, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditChange, AuditLog } from '../../shared/audit.js';
import { ConflictError, NotFoundError } from '../../shared/errors.js';
import { nameRule } from '../../shared/name-rule.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import { parsed } from '../users/index.js';
import { accessTo, readableAmong } from './organisation-access.js';
import { Project } from '../../billing/accounts/index.js';

export interface ProjectDeps {
  readonly projects: Repository<Project>;
  readonly auditLog: AuditLog;
}

/** A project with what its keys were charged; null for members who may not read the usage of others. */
export interface ProjectView extends Project {
  readonly keyCount: number | null;
  readonly usedQuota: number | null;
}

/** Maximum number of projects, archived ones too. Lists have no pages. */
const maxProjects = 500;

const sortKeys: SortKeys<Project> = { id: { sql: 'p.id', value: ({ id }) => id } };

/** Projects of organisations. They are archived and never deleted, because usage and charges follow them. */
export class ProjectService {
  constructor(private readonly deps: ProjectDeps) {}

  /**
   * Lists projects, open ones first, by name.
   * @throws AppError NOT_FOUND
   */
  async list(actor: MaybeActor, organisationId: number): Promise<ProjectView[]> {
    const { role } = await accessTo(this.deps.projects.manager, actor, organisationId, 'organisation.read');
    return this.read('p.organisation_id = $1', organisationId, role !== 'member');
  }

  /**
   * The projects of each of these organisations, the latest first, as `list` shows them. Organisations that the caller may
   * not read are left out.
   */
  async listOf(
    actor: MaybeActor,
    organisationIds: readonly number[],
    query: ListQuery<never>,
  ): Promise<Map<number, Slice<ProjectView>>> {
    const seats = await readableAmong(this.deps.projects.manager, requireActor(actor), organisationIds);
    const withUsage = new Set(seats.filter(({ role }) => role !== 'member').map(({ id }) => id));
    const pages = await readSlicesByOwner(this.deps.projects.createQueryBuilder('p'), query, sortKeys, {
      sql: 'p.organisation_id',
      of: ({ organisationId }) => organisationId,
      ids: seats.map(({ id }) => id),
    });
    return viewSlices(pages, async (ids) => {
      const views = await this.read('p.id = ANY ($1)', ids, true);
      return views.map((view) =>
        withUsage.has(view.organisationId) ? view : { ...view, keyCount: null, usedQuota: null },
      );
    });
  }

  /** Reads projects of any organisation, for relations. @throws AppError INSUFFICIENT_PRIVILEGES */
  async readMany(actor: MaybeActor, ids: readonly number[]): Promise<ProjectView[]> {
    requirePermission(actor, 'users.read');
    return this.read('p.id = ANY ($1)', ids, true);
  }

  /** @throws AppError NOT_FOUND, INVALID_INPUT, INSUFFICIENT_PRIVILEGES, CONFLICT (the name is taken, too many) */
  async create(actor: MaybeActor, organisationId: number, given: string): Promise<ProjectView> {
    const { manager: database } = this.deps.projects;
    const { caller } = await accessTo(database, actor, organisationId, 'projects.write');
    const name = parsed(nameRule, given);
    const id = await this.unique(() =>
      database.transaction(async (manager) => {
        if ((await manager.countBy(Project, { organisationId })) >= maxProjects) {
          throw new ConflictError(`An organisation can have at most ${maxProjects} projects`);
        }
        const { identifiers } = await manager.insert(Project, { organisationId, name });
        const created = (identifiers[0] as { id: number }).id;
        await this.audit(manager, caller, organisationId, 'createProject', null, { projectId: created, name });
        return created;
      }),
    );
    return this.get(id);
  }

  /**
   * Renames a project, archives it or opens it again. Keys of an archived project go on working.
   * @throws AppError NOT_FOUND, INVALID_INPUT, INSUFFICIENT_PRIVILEGES, CONFLICT (the name is taken)
   */
  async update(
    actor: MaybeActor,
    id: number,
    given: { readonly name?: string | undefined; readonly isArchived?: boolean | undefined },
  ): Promise<ProjectView> {
    requireActor(actor);
    const { manager: database } = this.deps.projects;
    const project = await this.deps.projects.findOneBy({ id });
    if (!project) throw new NotFoundError('Project', id);
    const asked = { noun: 'Project', id };
    const { caller } = await accessTo(database, actor, project.organisationId, 'projects.write', asked);
    const name = given.name === undefined ? project.name : parsed(nameRule, given.name);
    const { isArchived = project.archivedAt !== null } = given;
    await this.unique(() =>
      database.transaction(async (manager) => {
        const before = await manager.findOne(Project, { where: { id }, lock: { mode: 'for_no_key_update' } });
        if (!before) throw new NotFoundError('Project', id);
        const archivedAt = isArchived ? (before.archivedAt ?? new Date()) : null;
        await manager.update(Project, { id }, { name, archivedAt });
        const after = audited({ ...before, name, archivedAt });
        await this.audit(manager, caller, project.organisationId, 'updateProject', audited(before), after);
      }),
    );
    return this.get(id);
  }

  private async get(id: number): Promise<ProjectView> {
    const [view] = await this.read('p.id = $1', id, true);
    if (!view) throw new NotFoundError('Project', id);
    return view;
  }

  private async read(condition: string, value: number | readonly number[], seesUsage: boolean): Promise<ProjectView[]> {
    const rows = await this.deps.projects.query<Array<ProjectView & { usedQuota: string | null }>>(
      `SELECT p.id, p.organisation_id AS "organisationId", p.name, p.created_at AS "createdAt",
              p.archived_at AS "archivedAt",
              CASE WHEN $2 THEN (SELECT count(*)::integer FROM tokens t
                                  WHERE t.project_id = p.id AND t.deleted_at IS NULL) END AS "keyCount",
              CASE WHEN $2 THEN (SELECT coalesce(sum(t.used_quota), 0) FROM tokens t
                                  WHERE t.project_id = p.id) END AS "usedQuota"
         FROM projects p WHERE ${condition} ORDER BY p.archived_at IS NOT NULL, lower(p.name)`,
      [value, seesUsage],
    );
    return rows.map((row) => ({ ...row, usedQuota: row.usedQuota === null ? null : Number(row.usedQuota) }));
  }

  private async unique<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (!isUniqueViolation(error, 'projects_name')) throw error;
      throw new ConflictError('Another project of this organisation has this name', 'name');
    }
  }

  private async audit(
    manager: EntityManager,
    actor: Actor,
    organisationId: number,
    action: string,
    before: AuditChange['before'],
    after: AuditChange['after'],
  ): Promise<void> {
    const change = { action, subject: 'organisation', id: organisationId, before, after } as const;
    await this.deps.auditLog.write(manager, actor, change);
  }
}

const audited = ({ id, name, archivedAt }: Project): Record<string, unknown> => ({
  projectId: id,
  name,
  isArchived: archivedAt !== null,
});
