import type { DataSource, EntityManager } from 'typeorm';
import { type Clock, seconds } from '../../shared/clock.js';
import { ScheduledRuns } from '../../shared/scheduled-runs.js';

const everyMilliseconds = 15 * 60_000;
/** Seconds before its end at which a key is announced, if it lives longer than four times this. */
const leadSeconds = 7 * 86_400;
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
  readonly user_id: number;
  readonly name: string;
  readonly expired_time: string;
}

/**
 * Notifies owners before their API keys expire: a week before, or after three quarters of a shorter life. Any node may
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
    void this.round();
  }

  /** Waits for a run in progress. */
  stop(): Promise<void> {
    return this.runs.stop();
  }

  /** Announces all keys that are due. Never throws. */
  round(): Promise<void> {
    return this.runs.run();
  }

  private async announceAll(): Promise<void> {
    while ((await this.announceSome()) === batch);
  }

  /** One transaction locks the keys, stores the notices and marks the keys: each is announced once, by one node. */
  private announceSome(): Promise<number> {
    const now = seconds(this.deps.clock);
    return this.deps.database.transaction(async (manager) => {
      const rows = await manager.query<Row[]>(
        `SELECT id, user_id, name, expired_time FROM tokens
          WHERE status = 'enabled' AND deleted_at IS NULL AND expired_time > $1
            AND expired_time <= $1 + least($2, (expired_time - created_time) / 4) AND expiry_noticed <> expired_time
          ORDER BY user_id, id LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED`,
        [now, leadSeconds, batch],
      );
      const owners = new Map<number, Row[]>();
      for (const row of rows) owners.set(row.user_id, [...(owners.get(row.user_id) ?? []), row]);
      for (const [userId, keys] of owners) {
        await this.deps.notices.keysExpire(
          manager,
          userId,
          keys.map(({ name, expired_time }) => ({ name, expiresAt: new Date(Number(expired_time) * 1000) })),
        );
      }
      await manager.query('UPDATE tokens SET expiry_noticed = expired_time WHERE id = ANY($1)', [
        rows.map(({ id }) => id),
      ]);
      return rows.length;
    });
  }
}
