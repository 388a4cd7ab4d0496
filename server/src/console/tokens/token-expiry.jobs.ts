import type { DataSource, EntityManager } from 'typeorm';
import type { Clock } from '../../shared/clock.js';
import { ScheduledRuns } from '../../shared/scheduled-runs.js';

const everyMilliseconds = 15 * 60_000;
/** Time before its end at which a key is announced, if it lives longer than four times this. */
const lead = '7 days';
const batch = 500;

/** Receives the keys of one owner that expire soon. */
export interface ExpiryNotices {
  /** Stores the notice in the given transaction. */
  keysExpire(
    manager: Pick<EntityManager, 'query'>,
    userId: number,
    keys: ReadonlyArray<{ readonly name: string; readonly expiresAt: Date }>,
  ): Promise<void>;
}

export interface TokenExpiryDeps {
  readonly database: Pick<DataSource, 'transaction'>;
  readonly notices: ExpiryNotices;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

interface Row {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  readonly expiresAt: Date;
}

/**
 * Notifies owners, and members of organisations, before their API keys expire: a week before, or after three quarters of a shorter life. Any node may
 * run it. A changed expiry is announced again.
 */
export class TokenExpiryWatch {
  private readonly runs = new ScheduledRuns(
    () => this.announceAll(),
    (error) => this.deps.report(error),
  );

  constructor(private readonly deps: TokenExpiryDeps) {}

  start(): void {
    this.runs.every(everyMilliseconds);
    void this.run();
  }

  /** Waits for a run in progress. */
  stop(): Promise<void> {
    return this.runs.stop();
  }

  /** Announces all keys that are due. Never throws. */
  run(): Promise<void> {
    return this.runs.run();
  }

  private async announceAll(): Promise<void> {
    while ((await this.announceSome()) === batch);
  }

  /** One transaction locks the keys, stores the notices and marks the keys: each is announced once, by one node. */
  private announceSome(): Promise<number> {
    return this.deps.database.transaction(async (manager) => {
      const rows = await manager.query<Row[]>(
        `SELECT id, coalesce((SELECT m.user_id FROM memberships m WHERE m.id = member_id), user_id) AS "userId", name,
                expires_at AS "expiresAt" FROM tokens
          WHERE status = 'enabled' AND deleted_at IS NULL AND expires_at > $1
            AND expires_at <= $1::timestamptz + least($2::interval, (expires_at - created_at) / 4)
            AND expiry_noticed IS DISTINCT FROM expires_at
          ORDER BY user_id, id LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED`,
        [new Date(this.deps.clock.now()), lead, batch],
      );
      const owners = new Map<number, Row[]>();
      for (const row of rows) owners.set(row.userId, [...(owners.get(row.userId) ?? []), row]);
      for (const [userId, keys] of owners) {
        await this.deps.notices.keysExpire(manager, userId, keys);
      }
      await manager.query('UPDATE tokens SET expiry_noticed = expires_at WHERE id = ANY($1)', [
        rows.map(({ id }) => id),
      ]);
      return rows.length;
    });
  }
}
