import { In, type EntityManager, type Repository, type SelectQueryBuilder } from 'typeorm';
import { advisoryLocks } from '../../platform/db/advisory-locks.js';
import { andAmong, andBetween } from '../../platform/db/conditions.js';
import { readSlice, type SortKeys } from '../../platform/db/keyset.js';
import { keepsSecrets } from '../../platform/outbound/address-class.js';
import type { OutboundGuard } from '../../platform/outbound/outbound-guard.js';
import { requireConfirmed, requirePermission, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditLog } from '../../shared/audit.js';
import { ConflictError, InvalidInputError, isAppError, NotFoundError } from '../../shared/errors.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import type { Secrets } from '../../shared/secrets.js';
import { isSiteEventKind, type SiteEventKind } from '../../shared/site-events.js';
import type { TimeRange } from '../../shared/time-range.js';
import { newSecret } from './webhook-message.js';
import { type DeliveryState, maxPending, WebhookDelivery, WebhookEndpoint } from './webhook.entity.js';

/** The fields of an endpoint that an admin sets. Absent fields keep their value. */
export interface EndpointFields {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  /** Empty: all kinds. */
  readonly kinds?: readonly string[] | undefined;
  readonly enabled?: boolean | undefined;
}

/** Conditions on deliveries. Absent fields do not restrict; an empty list matches nothing. */
export interface DeliveryFilter {
  readonly endpointIds?: readonly number[];
  readonly states?: readonly DeliveryState[];
  readonly kinds?: readonly SiteEventKind[];
  /** When the event happened. */
  readonly created?: TimeRange;
}

export interface WebhookDeps {
  readonly endpoints: Repository<WebhookEndpoint>;
  readonly deliveries: Repository<WebhookDelivery>;
  readonly secrets: Pick<Secrets, 'seal'>;
  readonly guard: Pick<OutboundGuard, 'checkUrl'>;
  readonly auditLog: AuditLog;
}

/** An endpoint with its secret, which is shown only now. */
export interface KeyedEndpoint {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

const maxEndpoints = 20;
const [maxName, maxUrl] = [64, 2000];
/** Hours for which messages are signed with the previous secret, too. */
const [usualOverlap, maxOverlap] = [24, 168];

const sortKeys: SortKeys<WebhookDelivery, 'id'> = { id: { sql: 'one.id', value: ({ id }) => id } };

/** Endpoints that receive events of the site, and what was sent to them. */
export class WebhookService {
  constructor(private readonly deps: WebhookDeps) {}

  /** The endpoints, oldest first. @throws AppError INSUFFICIENT_PRIVILEGES */
  async list(actor: MaybeActor): Promise<WebhookEndpoint[]> {
    requirePermission(actor, 'webhooks');
    return this.deps.endpoints.find({ order: { id: 'ASC' } });
  }

  /** Reads endpoints for relations. @throws AppError INSUFFICIENT_PRIVILEGES */
  async readMany(actor: MaybeActor, ids: readonly number[]): Promise<WebhookEndpoint[]> {
    requirePermission(actor, 'webhooks');
    return this.deps.endpoints.findBy({ id: In([...ids]) });
  }

  /** @throws AppError INSUFFICIENT_PRIVILEGES, CONFIRMATION_NEEDED, INVALID_INPUT, CONFLICT (too many) */
  async create(
    actor: MaybeActor,
    { name, url, kinds = [], enabled = true }: EndpointFields & { readonly name: string; readonly url: string },
  ): Promise<KeyedEndpoint> {
    const admin = this.requireAdmin(actor);
    const fields = this.parse({ name, url, kinds, enabled });
    const secret = newSecret();
    const endpoint = await this.deps.endpoints.manager.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.newWebhookEndpoints]);
      if ((await manager.count(WebhookEndpoint)) >= maxEndpoints) {
        throw new ConflictError(`A site has at most ${maxEndpoints} endpoints`);
      }
      const { identifiers } = await manager.insert(WebhookEndpoint, {
        ...fields,
        secretSealed: this.deps.secrets.seal(secret),
      });
      const created = await manager.findOneByOrFail(WebhookEndpoint, { id: identifiers[0]?.['id'] as number });
      await this.audit(manager, admin, 'create', null, created);
      return created;
    });
    return { endpoint, secret };
  }

  /** Switched on, an endpoint gets the events from then on. @throws AppError as `create`, NOT_FOUND */
  async update(actor: MaybeActor, id: number, given: EndpointFields): Promise<WebhookEndpoint> {
    const admin = this.requireAdmin(actor);
    const fields = this.parse(given);
    return this.change(id, async (manager, before) => {
      const begins = fields.enabled && !before.enabled ? { failingSince: null, switchedOffAt: null } : {};
      const set = { ...fields, ...begins };
      if (Object.keys(set).length > 0) await manager.update(WebhookEndpoint, { id }, set);
      // The server does not send what waits for an endpoint that is switched off, and it must not wait forever.
      if (fields.enabled === false) {
        await manager.query(
          `UPDATE webhook_deliveries SET state = 'failed', failure = coalesce(failure, 'switched_off')
            WHERE endpoint_id = $1 AND state = 'pending'`,
          [id],
        );
      }
      const after = await manager.findOneByOrFail(WebhookEndpoint, { id });
      await this.audit(manager, admin, 'update', before, after);
      return after;
    });
  }

  /**
   * Replaces the secret. Messages are signed with the previous one, too, until the overlap ends. One before that stops.
   * @param overlapHours 24 when absent; 0: the previous secret stops at once
   * @throws AppError as `update`
   */
  async renewSecret(actor: MaybeActor, id: number, overlapHours = usualOverlap): Promise<KeyedEndpoint> {
    const admin = this.requireAdmin(actor);
    if (!Number.isInteger(overlapHours) || overlapHours < 0 || overlapHours > maxOverlap) {
      throw new InvalidInputError(`An overlap has 0 to ${maxOverlap} hours`, 'overlapHours');
    }
    const secret = newSecret();
    const endpoint = await this.change(id, async (manager) => {
      const secretSealed = this.deps.secrets.seal(secret);
      await manager.query(
        `UPDATE webhook_endpoints SET secret_sealed = $2, previous_secret_sealed = CASE WHEN $3 > 0 THEN secret_sealed END,
                previous_secret_until = CASE WHEN $3 > 0 THEN now() + make_interval(hours => $3) END
          WHERE id = $1`,
        [id, secretSealed, overlapHours],
      );
      await this.deps.auditLog.write(manager, admin, {
        action: 'update',
        subject: 'webhook',
        id,
        secrets: ['secret'],
        before: { secret: '' },
        after: { secret: secretSealed },
      });
      return manager.findOneByOrFail(WebhookEndpoint, { id });
    });
    return { endpoint, secret };
  }

  /** Deletes an endpoint and what is known of its deliveries. @throws AppError as `update` */
  async delete(actor: MaybeActor, id: number): Promise<void> {
    const admin = this.requireAdmin(actor);
    await this.change(id, async (manager, before) => {
      await manager.delete(WebhookEndpoint, { id });
      await this.audit(manager, admin, 'delete', before, null);
    });
  }

  /** Deliveries, newest first. @throws AppError INSUFFICIENT_PRIVILEGES */
  async listDeliveries(
    actor: MaybeActor,
    filter: DeliveryFilter,
    query: ListQuery<never>,
  ): Promise<Slice<WebhookDelivery>> {
    requirePermission(actor, 'webhooks');
    return readSlice<WebhookDelivery, 'id'>(this.matching(this.deps.deliveries.manager, filter), query, sortKeys);
  }

  /**
   * Sends an event again, with its id, in whichever state it is. It is tried as often as a new one.
   * @throws AppError INSUFFICIENT_PRIVILEGES, NOT_FOUND, CONFLICT (the endpoint is switched off, or it is being sent)
   */
  async resend(actor: MaybeActor, id: number): Promise<WebhookDelivery> {
    requirePermission(actor, 'webhooks');
    const before = await this.deps.deliveries.findOneBy({ id });
    if (!before) throw new NotFoundError('Delivery', id);
    await this.requireEnabled(before.endpointId);
    if ((await queueAgain(this.deps.deliveries.manager, [id])) === 0) {
      throw new ConflictError('The event is being sent at this moment', 'id');
    }
    return this.query().andWhere('one.id = :id', { id }).getOneOrFail();
  }

  /**
   * Sends events of one endpoint again, oldest first, as `resend` does: failed ones unless `states` says otherwise. At most as
   * many as have a place in the queue of the endpoint. Those that are being sent are left out.
   * @returns how many are sent again
   * @throws AppError INSUFFICIENT_PRIVILEGES, NOT_FOUND, CONFLICT (the endpoint is switched off)
   */
  async resendAll(
    actor: MaybeActor,
    endpointId: number,
    { states = ['failed'], ...filter }: Omit<DeliveryFilter, 'endpointIds'>,
  ): Promise<number> {
    requirePermission(actor, 'webhooks');
    await this.requireEnabled(endpointId);
    return this.change(endpointId, async (manager) => {
      const pending = await manager.countBy(WebhookDelivery, { endpointId, state: 'pending' });
      const idsOf = async (among: readonly DeliveryState[], limit: number): Promise<string[]> => {
        const select = this.matching(manager, { ...filter, endpointIds: [endpointId], states: among });
        const rows = await select.select('one.id', 'id').orderBy('one.id').limit(limit).getRawMany<{ id: string }>();
        return rows.map(({ id }) => id);
      };
      const waiting = states.includes('pending') ? await idsOf(['pending'], maxPending) : [];
      const others = states.filter((state) => state !== 'pending');
      const ended = pending < maxPending ? await idsOf(others, maxPending - pending) : [];
      return queueAgain(manager, [...waiting, ...ended]);
    });
  }

  /** Sends an event `webhook.test` to one endpoint. @throws AppError as `resend` */
  async test(actor: MaybeActor, endpointId: number): Promise<WebhookDelivery> {
    requirePermission(actor, 'webhooks');
    const { name } = await this.requireEnabled(endpointId);
    const data = { endpoint: { id: endpointId, name } };
    const [row] = await this.deps.deliveries.query<Array<{ id: string }>>(
      `WITH event AS (INSERT INTO site_events (kind, data) VALUES ('webhook.test', $2) RETURNING id)
       INSERT INTO webhook_deliveries (endpoint_id, event_id) SELECT $1, id FROM event RETURNING id`,
      [endpointId, JSON.stringify(data)],
    );
    return this.query().andWhere('one.id = :id', { id: row?.id }).getOneOrFail();
  }

  private requireAdmin(actor: MaybeActor): Actor {
    const admin = requirePermission(actor, 'webhooks');
    requireConfirmed(admin);
    return admin;
  }

  private async requireEnabled(id: number): Promise<WebhookEndpoint> {
    const endpoint = await this.deps.endpoints.findOneBy({ id });
    if (!endpoint) throw new NotFoundError('Endpoint', id);
    if (!endpoint.enabled) throw new ConflictError('This endpoint is switched off', 'id');
    return endpoint;
  }

  private async change<Result>(
    id: number,
    work: (manager: EntityManager, before: WebhookEndpoint) => Promise<Result>,
  ): Promise<Result> {
    return this.deps.endpoints.manager.transaction(async (manager) => {
      const before = await manager.findOne(WebhookEndpoint, { where: { id }, lock: { mode: 'pessimistic_write' } });
      if (!before) throw new NotFoundError('Endpoint', id);
      return work(manager, before);
    });
  }

  private query(manager = this.deps.deliveries.manager): SelectQueryBuilder<WebhookDelivery> {
    return manager.createQueryBuilder(WebhookDelivery, 'one').innerJoinAndSelect('one.event', 'event');
  }

  private matching(
    manager: EntityManager,
    { endpointIds, states, kinds, created }: DeliveryFilter,
  ): SelectQueryBuilder<WebhookDelivery> {
    const select = this.query(manager);
    andAmong(select, 'one.endpoint_id', endpointIds);
    andAmong(select, 'one.state', states);
    andAmong(select, 'event.kind', kinds);
    andBetween(select, 'event.created_at', created);
    return select;
  }

  /** @throws AppError INVALID_INPUT */
  private parse({ name, url, kinds, enabled }: EndpointFields) {
    const shown = name?.trim();
    if (shown !== undefined && (shown === '' || shown.length > maxName || shown.includes('\0'))) {
      throw new InvalidInputError(`A name has 1 to ${maxName} characters`, 'name');
    }
    const unknown = kinds?.find((kind) => !isSiteEventKind(kind));
    if (unknown !== undefined) throw new InvalidInputError('Unknown kind of event', 'kinds');
    if (url !== undefined) this.checkUrl(url.trim());
    return omitUndefined({ name: shown, url: url?.trim(), kinds: kinds && [...new Set(kinds)], enabled });
  }

  private checkUrl(url: string): void {
    if (url.length > maxUrl || !URL.canParse(url)) throw new InvalidInputError('Enter an https:// address', 'url');
    try {
      this.deps.guard.checkUrl(new URL(url), 'public-only');
    } catch (error) {
      throw isAppError(error) ? new InvalidInputError(error.message, 'url') : error;
    }
    // Events name users and what they paid.
    if (!keepsSecrets(url)) throw new InvalidInputError('Enter an https:// address', 'url');
  }

  private audit(
    manager: EntityManager,
    admin: Actor,
    action: string,
    before: WebhookEndpoint | null,
    after: WebhookEndpoint | null,
  ): Promise<void> {
    const id = (before ?? after)?.id ?? 0;
    return this.deps.auditLog.write(manager, admin, {
      action,
      subject: 'webhook',
      id,
      before: before && audited(before),
      after: after && audited(after),
    });
  }
}

/** Makes deliveries new again, except deliveries that a node sends at this moment. @returns how many */
async function queueAgain(manager: EntityManager, ids: ReadonlyArray<string | number>): Promise<number> {
  const [, count] = await manager.query<[unknown, number]>(
    `UPDATE webhook_deliveries SET state = 'pending', tries = 0, due_at = now(), running = false
      WHERE id = ANY ($1) AND NOT (running AND due_at > now())`,
    [ids],
  );
  return count;
}

const audited = ({ name, url, kinds, enabled }: WebhookEndpoint) => ({ name, url, kinds, enabled });
