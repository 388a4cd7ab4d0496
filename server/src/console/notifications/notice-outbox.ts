import type { Logger } from 'pino';
import type { DataSource, EntityManager } from 'typeorm';
import type { StoredSetting, UserSettings } from '../../billing/accounts/index.js';
import type { Notice, NoticeDelivery } from './delivery.js';
import { settledWithin } from './settled-within.js';

export interface OutboxDeps {
  readonly database: Pick<DataSource, 'query'>;
  readonly settings: Pick<UserSettings, 'read'>;
  readonly delivery: Pick<NoticeDelivery, 'deliver'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Milliseconds before the second and each later attempt. */
  readonly pauses?: readonly number[];
}

interface Posted extends Notice {
  readonly id: string;
  readonly userId: number;
  /** Attempts so far, including this one. */
  readonly tries: number;
}

const defaultPauses = [2_000, 10_000];
/** Seconds. The lease is longer than any attempt takes: a notice claimed for longer belongs to a dead node. */
const leaseSeconds = 60;
const batch = 20;
const stopMilliseconds = 5000;
/** Milliseconds added to a timer, which may fire before the database considers the notice due. */
const timerMarginMilliseconds = 10;

const insertSql = `INSERT INTO notices (user_id, type, title, content, fillings, tries, due_at)
  VALUES ($1, $2, $3, $4, $5, 1, now() + $6 * interval '1 second') RETURNING id`;
const laterSql = `INSERT INTO notices (user_id, type, title, content, fillings, tries, due_at)
  VALUES ($1, $2, $3, $4, $5, 0, now())`;
const claimSql = `UPDATE notices SET tries = tries + 1, due_at = now() + $1 * interval '1 second'
  WHERE id IN (SELECT id FROM notices WHERE due_at <= now() AND tries < $2 ORDER BY due_at, id LIMIT $3
    FOR UPDATE SKIP LOCKED)
  RETURNING id, user_id AS "userId", type, title, content, fillings AS values, tries`;
/** SQL that deletes notices whose last attempt was lost with its node. */
const abandonedSql =
  'DELETE FROM notices WHERE due_at <= now() AND tries >= $1 RETURNING id, user_id AS "userId", type';

/**
 * Stores notices until they are delivered, so that a restart loses none. Any node attempts delivery, up to three times.
 * A notice whose node died between sending and recording is sent twice.
 */
export class NoticeOutbox {
  private readonly pauses: readonly number[];
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly underWay = new Set<Promise<void>>();
  private stopped = false;

  constructor(private readonly deps: OutboxDeps) {
    this.pauses = deps.pauses ?? defaultPauses;
  }

  /**
   * Stores a notice and attempts delivery. Resolves after that attempt.
   * @throws when it cannot be stored
   */
  async post(userId: number, { type, title, content, values }: Notice): Promise<void> {
    const [row] = await this.deps.database.query<Array<{ id: string }>>(insertSql, [
      ...[userId, type, title, content, JSON.stringify(values), leaseSeconds],
    ]);
    if (row) await this.attempt({ id: row.id, userId, type, title, content, values, tries: 1 });
  }

  /**
   * Stores a notice in the caller's transaction. The next run of any node delivers it.
   * @throws when it cannot be stored
   */
  async postWithin(
    manager: Pick<EntityManager, 'query'>,
    userId: number,
    { type, title, content, values }: Notice,
  ): Promise<void> {
    await manager.query(laterSql, [userId, type, title, content, JSON.stringify(values)]);
  }

  /** Attempts all due notices: retries, and notices of nodes that have stopped. Never throws. */
  run(): Promise<void> {
    const running = this.takeUp().catch((error: unknown) => {
      this.deps.logger.warn({ err: error }, 'due notices could not be claimed');
    });
    this.underWay.add(running);
    return running.finally(() => this.underWay.delete(running));
  }

  /** Stops attempts on this node. Undelivered notices wait for another node or the next start. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const timer of this.timers) clearTimeout(timer);
    await settledWithin(this.underWay, stopMilliseconds);
  }

  private get most(): number {
    return this.pauses.length + 1;
  }

  private async attempt(posted: Posted): Promise<void> {
    const { id, userId, tries } = posted;
    try {
      const recipient = await this.recipient(userId);
      if (recipient) await this.deps.delivery.deliver(recipient, posted);
    } catch (error) {
      const pause = this.pauses[tries - 1];
      this.deps.logger.warn({ err: error, userId, notice: posted.type, tries }, 'notice delivery failed');
      if (pause !== undefined) return this.postpone(id, pause);
    }
    await this.deps.database.query('DELETE FROM notices WHERE id = $1', [id]);
  }

  private async postpone(id: string, pause: number): Promise<void> {
    const sql = `UPDATE notices SET due_at = now() + $2 * interval '1 millisecond' WHERE id = $1`;
    await this.deps.database.query(sql, [id, pause]);
    if (this.stopped) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void this.run();
    }, pause + timerMarginMilliseconds);
    timer.unref();
    this.timers.add(timer);
  }

  private async recipient(id: number) {
    const [row] = await this.deps.database.query<Array<{ email: string; setting: StoredSetting }>>(
      'SELECT email, setting FROM users WHERE id = $1 AND deleted_at IS NULL',
      [id],
    );
    return row ? { id, email: row.email, setting: this.deps.settings.read(row.setting) } : null;
  }

  private async takeUp(): Promise<void> {
    await this.dropAbandoned();
    for (let taken = batch; taken === batch && !this.stopped;) {
      // An UPDATE returns its rows and their count.
      const [rows] = await this.deps.database.query<[Posted[], number]>(claimSql, [leaseSeconds, this.most, batch]);
      await Promise.all(rows.map((row) => this.attempt(row)));
      taken = rows.length;
    }
  }

  private async dropAbandoned(): Promise<void> {
    const [rows] = await this.deps.database.query<[Posted[], number]>(abandonedSql, [this.most]);
    for (const { id, userId, type } of rows) {
      this.deps.logger.warn({ notice: type, userId, id }, 'notice dropped after its last attempt was lost');
    }
  }
}
