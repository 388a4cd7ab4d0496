import type { Logger } from 'pino';
import type { DataSource, EntityManager } from 'typeorm';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { boundedCache } from '../../shared/bounded-cache.js';
import type { Clock } from '../../shared/clock.js';
import { formatQuota } from '../../shared/quota.js';
import { siteAddress } from '../../shared/site-address.js';
import type { OptionValues } from '../../options/option.service.js';
import type { Notice } from './delivery.js';
import type { NoticeOutbox } from './notice-outbox.js';
import { settledWithin } from './settled-within.js';

export interface NotificationDeps {
  readonly database: Pick<DataSource, 'query'>;
  readonly state: SharedState;
  readonly outbox: Pick<NoticeOutbox, 'post' | 'postWithin'>;
  readonly options: { readonly values: OptionValues };
  /** Limit of notices of one type to one user: within `seconds`, and within one clock hour. */
  readonly limit: { readonly count: number; readonly seconds: number };
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Milliseconds in which this node does not warn a user again, after a warning or a refusal by the limit. */
const quietMilliseconds = 10_000;
/** Writes the event of a low balance, once a day and again after money came in. */
const lowBalanceSql = `
  WITH low AS (
    INSERT INTO low_balance_events AS last (user_id, at) VALUES ($1, now())
    ON CONFLICT (user_id) DO UPDATE SET at = excluded.at
      WHERE last.at < excluded.at - interval '1 day'
         OR EXISTS (SELECT 1 FROM ledger_entries e
                     WHERE e.user_id = $1 AND e.account = 'user' AND e.amount > 0 AND e.created_at > last.at)
    RETURNING user_id)
  SELECT site_event('balance.low', jsonb_build_object('user', event_user(u), 'balance', $2::bigint))
    FROM low JOIN users u ON u.id = low.user_id`;
/** A plan of an account whose time is over. */
export interface FinishedPlan {
  readonly name: string;
  /** The end of its renewal. Null: it was not renewed. */
  readonly renewedUntil: Date | null;
  /** Why the subscription was not renewed. Empty when no renewal was wanted. */
  readonly problem: string;
}

const planProblems: Readonly<Record<string, string>> = {
  NOT_SOLD: ', because it is not sold any more',
  PRICE_RAISED: ', because its price was raised',
  INSUFFICIENT_QUOTA: ', because your balance is too low',
  USER_BANNED: ', because the account is banned',
  CARD_DECLINED: ', because your card was declined. It is charged again in the next days, or you pay the plan yourself',
  AUTHENTICATION_REQUIRED: ', because your bank asks for your confirmation. Pay the plan yourself to confirm it',
  CARD_REMOVED: ', because your card is not saved any more. Pay the plan yourself to save another one',
  PAYMENT_FAILED: ', because your card could not be charged. Pay the plan yourself to have it again',
};

const maxUnderWay = 1000;
const stopMilliseconds = 5000;

/** Creates notices. All methods return immediately and never throw. */
export class NotificationService {
  private readonly quiet = boundedCache<number, true>({ max: 20_000, ttl: quietMilliseconds });
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(private readonly deps: NotificationDeps) {}

  /**
   * Warns a user of a low balance. Called after every charge that leaves less than the user's threshold.
   * @param left the balance after the charge
   */
  ranLow(userId: number, left: number): void {
    if (this.quiet.has(userId)) return;
    this.run(async () => {
      this.quiet.set(userId, true);
      await this.deps.database.query(lowBalanceSql, [userId, left]);
      await this.notify(userId, this.lowQuota(left));
    });
  }

  /**
   * Notifies root that a channel was disabled or enabled automatically.
   * @param status its new status, a number of the REST API
   */
  channelChanged(id: number, status: number, title: string, reason: string): void {
    this.notifyRoot({ type: `channel_update_${id}_${status}`, title, content: '{{value}}', values: [reason] });
  }

  /** Notifies a user that they signed in from an unknown browser. */
  newBrowser(userId: number, { ip, userAgent }: { readonly ip: string; readonly userAgent: string }): void {
    const { SystemName, ServerAddress } = this.deps.options.values;
    const notice = {
      type: 'new_browser',
      title: `New sign-in to ${SystemName}`,
      content:
        'Your account was used in a browser that it was not used in before: address {{value}}, browser {{value}}, {{value}}. If this was not you, change your password and end the session here: {{value}}',
      values: [
        ip,
        userAgent.slice(0, 200) || 'unknown',
        new Date(this.deps.clock.now()).toISOString(),
        `${siteAddress(ServerAddress)}/personal`,
      ],
    };
    this.notifyUser(userId, notice);
  }

  /** Sends a notice to a user. Returns at once; a failure is logged. */
  notifyUser(userId: number, notice: Notice): void {
    this.run(() => this.notify(userId, notice));
  }

  /**
   * Notifies a user that API keys expire soon. The notice is stored in the caller's transaction, and not limited: each
   * expiry is announced once.
   * @throws when the notice cannot be stored
   */
  async keysExpire(
    manager: Pick<EntityManager, 'query'>,
    userId: number,
    keys: ReadonlyArray<{ readonly name: string; readonly expiresAt: Date }>,
  ): Promise<void> {
    const shown = keys.slice(0, 20).map(({ name, expiresAt }) => `${name} (${expiresAt.toISOString()})`);
    const more = keys.length > shown.length ? `, and ${keys.length - shown.length} more` : '';
    await this.deps.outbox.postWithin(manager, userId, {
      type: 'keys_expire',
      title: 'API keys expire soon',
      content: 'These API keys expire soon: {{value}}. Extend them or replace them here: {{value}}',
      values: [shown.join(', ') + more, `${siteAddress(this.deps.options.values.ServerAddress)}/token`],
    });
  }

  /**
   * Notifies an account that its statement was closed. The notice is stored in the caller's transaction, and not limited.
   * @param month such as `2026-11`
   * @throws when the notice cannot be stored
   */
  async statementClosed(manager: Pick<EntityManager, 'query'>, accountId: number, month: string): Promise<void> {
    const { SystemName, ServerAddress } = this.deps.options.values;
    await this.deps.outbox.postWithin(manager, accountId, {
      type: 'statement',
      title: `Statement of ${SystemName} for ${month}`,
      content: 'The statement of your account for {{value}} is closed. Read and download it here: {{value}}',
      values: [month, `${siteAddress(ServerAddress)}/statements`],
    });
  }

  /**
   * Notifies an account that a plan was renewed, or ended. The notice is stored in the caller's transaction, and not limited.
   * @param problem why it was not renewed; empty: it was not to be
   * @throws when the notice cannot be stored
   */
  async planFinished(
    manager: Pick<EntityManager, 'query'>,
    accountId: number,
    { name, renewedUntil, problem }: FinishedPlan,
  ): Promise<void> {
    const plans = `${siteAddress(this.deps.options.values.ServerAddress)}/my-plans`;
    const notice = renewedUntil
      ? {
          type: 'plan_renewed',
          title: 'Your plan was renewed',
          content: 'The plan {{value}} was renewed until {{value}}: {{value}}',
          values: [name, renewedUntil.toISOString(), plans],
        }
      : {
          type: 'plan_ended',
          title: problem === '' ? 'Your plan has ended' : 'Your plan was not renewed',
          content: `The plan {{value}} has ended${planProblems[problem] ?? ''}: {{value}}`,
          values: [name, plans],
        };
    await this.deps.outbox.postWithin(manager, accountId, notice);
  }

  /** Sends a notice to root, like `notifyUser`. */
  notifyRoot(notice: Notice): void {
    this.run(async () => {
      const [root] = await this.deps.database.query<Array<{ id: number }>>(
        "SELECT id FROM users WHERE role = 'root' AND deleted_at IS NULL",
      );
      if (root) await this.notify(root.id, notice);
    });
  }

  /** Waits a short time for running deliveries. */
  stop(): Promise<void> {
    return settledWithin(this.underWay, stopMilliseconds);
  }

  private async notify(userId: number, notice: Notice): Promise<void> {
    for (const id of await this.receiversOf(userId)) {
      if (await this.mayNotify(id, notice.type)) await this.deps.outbox.post(id, notice);
    }
  }

  /** Returns who reads the notices of an account: of an organisation without an address, owners and billing members. */
  private async receiversOf(userId: number): Promise<number[]> {
    const members = await this.deps.database.query<Array<{ id: number }>>(
      `SELECT m.user_id AS id FROM users o JOIN memberships m ON m.organisation_id = o.id
        WHERE o.id = $1 AND m.left_at IS NULL AND m.role IN ('owner', 'billing')
          AND coalesce(o.setting ->> 'notificationEmail', '') = '' AND coalesce(o.setting ->> 'webhookUrl', '') = ''`,
      [userId],
    );
    return members.length > 0 ? members.map(({ id }) => id) : [userId];
  }

  private async mayNotify(userId: number, type: string): Promise<boolean> {
    const { state, limit, clock } = this.deps;
    const hour = new Date(clock.now()).toISOString().slice(0, 13);
    return (await state.incrementBy(`notify:${type}:${userId}:${hour}`, 1, limit.seconds)) <= limit.count;
  }

  private lowQuota(left: number): Notice {
    const { values } = this.deps.options;
    const amount = formatQuota(left, values);
    return {
      type: 'quota_exceed',
      title: 'Your quota is running out',
      content: 'Your quota is running out, {{value}} is left. To keep your calls working, top up here: {{value}}',
      values: [amount, `${siteAddress(values.ServerAddress)}/topup`],
    };
  }

  /** Drops a notice when too many deliveries are running, instead of slowing the node down. */
  private run(work: () => Promise<void>): void {
    if (this.underWay.size >= maxUnderWay) return;
    const running = work().catch((error: unknown) => {
      this.deps.logger.warn({ err: error }, 'notice could not be created');
    });
    this.underWay.add(running);
    void running.finally(() => this.underWay.delete(running));
  }
}
