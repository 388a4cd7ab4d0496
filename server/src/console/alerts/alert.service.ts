import type { DataSource, Repository } from 'typeorm';
import { readSlice, type SortKeys } from '../../platform/db/keyset.js';
import { requirePermission, requireRole, type MaybeActor } from '../../shared/actor.js';
import { andBetween } from '../../platform/db/conditions.js';
import { isAppError, AppError, InvalidInputError } from '../../shared/errors.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import type { TimeRange } from '../../shared/time-range.js';
import type { OptionValues } from '../../options/option.service.js';
import { testNotice } from './alert-texts.js';
import type { AlertTarget, AlertTargets } from './alert-targets.js';
import type { Alert, AlertKind } from './alert.entity.js';

/** Conditions on alerts. Absent fields do not restrict. */
export interface AlertFilter {
  readonly kinds?: readonly AlertKind[];
  readonly isOpen?: boolean;
  readonly opened?: TimeRange;
}

/** A message that has not been sent because of failures. */
export interface FailedMessage {
  readonly target: AlertTarget;
  readonly error: string;
}

export interface AlertServiceDeps {
  readonly alerts: Repository<Alert>;
  readonly database: Pick<DataSource, 'query'>;
  readonly targets: Pick<AlertTargets, 'active' | 'send'>;
  readonly options: { readonly values: OptionValues };
}

export type AlertSortField = 'id';
const sortKeys: SortKeys<Alert, AlertSortField> = { id: { sql: 'alert.id', value: ({ id }) => id } };

/** The alerts of the site, for admins. */
export class AlertService {
  constructor(private readonly deps: AlertServiceDeps) {}

  /**
   * Returns the newest alerts first.
   * @throws AppError INSUFFICIENT_PRIVILEGES below admin
   */
  async list(actor: MaybeActor, filter: AlertFilter, query: ListQuery<AlertSortField>): Promise<Slice<Alert>> {
    requirePermission(actor, 'alerts');
    const select = this.deps.alerts.createQueryBuilder('alert');
    if (filter.kinds) select.andWhere('alert.kind = ANY (:kinds)', { kinds: [...filter.kinds] });
    if (filter.isOpen !== undefined) select.andWhere(`alert.ended_at IS ${filter.isOpen ? '' : 'NOT'} NULL`);
    andBetween(select, 'alert.opened_at', filter.opened);
    return readSlice<Alert, AlertSortField>(select, query, sortKeys);
  }

  /** Messages that failed, by their alerts. */
  async failures(actor: MaybeActor, ids: readonly number[]): Promise<Map<number, FailedMessage[]>> {
    requirePermission(actor, 'alerts');
    const rows = await this.deps.database.query<Array<FailedMessage & { alertId: number }>>(
      `SELECT alert_id AS "alertId", target, error FROM alert_messages
        WHERE alert_id = ANY ($1::integer[]) AND error <> '' ORDER BY id`,
      [[...ids]],
    );
    const found = new Map<number, FailedMessage[]>(ids.map((id) => [id, []]));
    for (const { alertId, target, error } of rows) found.get(alertId)?.push({ target, error });
    return found;
  }

  /** Open alerts that the caller has not seen. */
  async unseen(actor: MaybeActor): Promise<number> {
    const { id } = requirePermission(actor, 'alerts');
    const [row] = await this.deps.database.query<Array<{ count: number }>>(
      `SELECT count(*)::integer AS count FROM alerts
        WHERE ended_at IS NULL AND id > coalesce((SELECT alert_id FROM alert_readers WHERE user_id = $1), 0)`,
      [id],
    );
    return row?.count ?? 0;
  }

  /** Stores that the caller has seen the alerts up to this id. Later alerts are not seen yet. */
  async markSeen(actor: MaybeActor, until: number): Promise<void> {
    const { id } = requirePermission(actor, 'alerts');
    await this.deps.database.query(
      `INSERT INTO alert_readers AS r (user_id, alert_id) SELECT $1, least($2, coalesce(max(id), 0)) FROM alerts
        ON CONFLICT (user_id) DO UPDATE SET alert_id = greatest(r.alert_id, excluded.alert_id)`,
      [id, until],
    );
  }

  /**
   * Sends a test message with the stored settings.
   * @throws AppError INSUFFICIENT_PRIVILEGES, INVALID_INPUT where the target is not set up, UPSTREAM_UNREACHABLE with the reason
   */
  async sendTest(actor: MaybeActor, target: AlertTarget): Promise<void> {
    requireRole(actor, 'root');
    const { targets, options } = this.deps;
    if (!targets.active.includes(target)) throw new InvalidInputError('This target is not set up', 'target');
    try {
      await targets.send(target, testNotice(options.values.SystemName));
    } catch (error) {
      if (isAppError(error)) throw error;
      const reason = error instanceof Error ? error.message : 'The message could not be sent';
      throw new AppError('UPSTREAM_UNREACHABLE', reason, { cause: error });
    }
  }
}
