import type { Pool } from 'pg';
import { isConflict, isUnavailable } from './group-commit.js';
import type { PostgresLedger } from './postgres-ledger.js';

/** Intervals of the ledger's periodic work. */
export interface KeeperTimes {
  /** Milliseconds between heartbeats of this node, which also search for reservations and spool files of dead nodes. */
  readonly heartbeatMilliseconds: number;
  /** Seconds. A node without a heartbeat for longer is dead, and its reservations are released. */
  readonly deadSeconds: number;
  /** Seconds. A reservation of a live node that the node itself does not know is released at this age. */
  readonly strayedSeconds: number;
}

export const defaultKeeperTimes: KeeperTimes = { heartbeatMilliseconds: 5_000, deadSeconds: 20, strayedSeconds: 120 };

const sweepBatch = 500;
/** The reservation of a batch is kept until its task ends, whichever node made it. */
const isOfNoBatch = `NOT EXISTS (SELECT FROM tasks t
  WHERE t.platform = 'batch' AND t.progress <> 100 AND t.request_id = r.request_id)`;
const tidyMilliseconds = 3_600_000;
/** Number of heartbeats of this node within which a dead node sent none. */
const missedHeartbeats = 4;
/**
 * Days for which a settlement may still arrive from a dead node's spool. Until then its swept reservation is kept as an
 * empty row.
 */
const sweptDays = 30;
/**
 * Days for which windows of budgets are kept. The longest window has 31 days, and settlements count in it for
 * `sweptDays` after its end.
 */
const keptWindowDays = 62;

/**
 * Periodic work of the ledger: heartbeats, releasing reservations of dead nodes, replaying their spool files, creating
 * log partitions in advance. Every node runs it. Rows that another node sweeps are skipped, and running twice is
 * harmless.
 */
export class LedgerKeeper {
  private timer: NodeJS.Timeout | null = null;
  /** The last heartbeat; null before the first. */
  private beating: Promise<unknown> | null = null;
  /** The running maintenance; null when none is running. */
  private maintaining: Promise<void> | null = null;
  /** Time of the last cleanup, by `performance.now()`: the wall clock may be set back by years. */
  private lastTidy = -Infinity;
  /** Times of this node's last heartbeats, by the clock of the database, oldest first. */
  private heartbeats: string[] = [];

  constructor(
    private readonly deps: {
      readonly pool: Pool;
      readonly nodeId: string;
      readonly ledger: PostgresLedger;
      readonly logger: { info(details: object, message: string): void; warn(details: object, message: string): void };
      readonly times?: KeeperTimes;
    },
  ) {}

  private get times(): KeeperTimes {
    return this.deps.times ?? defaultKeeperTimes;
  }

  /**
   * @param alone true when no other node can exist (embedded database): reservations of earlier processes are released
   * at once
   */
  async start(alone: boolean): Promise<void> {
    if (alone) await this.deps.pool.query('DELETE FROM nodes');
    // The timer starts first, because the first maintenance may have a large spool to replay.
    this.timer = setInterval(() => void this.heartbeat(), this.times.heartbeatMilliseconds);
    this.timer.unref();
    await this.heartbeat();
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.beating;
    await this.maintaining;
    await this.deps.pool.query('DELETE FROM nodes WHERE id = $1', [this.deps.nodeId]).catch(() => undefined);
  }

  /**
   * Runs one heartbeat. Never throws: the next heartbeat retries. The heartbeat itself never waits for maintenance,
   * which takes long when a large spool is replayed: other nodes would consider this node dead.
   */
  async heartbeat(): Promise<void> {
    const beat = this.beat();
    this.beating = beat;
    if (!(await beat)) return;
    this.maintaining ??= this.maintain().finally(() => (this.maintaining = null));
    await this.maintaining;
  }

  /**
   * Records that this node is alive.
   * @returns false when the database does not respond
   */
  private async beat(): Promise<boolean> {
    try {
      const { rows } = await this.deps.pool.query<{ at: string }>(
        `INSERT INTO nodes (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET heartbeat_at = now()
         RETURNING heartbeat_at::text AS at`,
        [this.deps.nodeId],
      );
      this.heartbeats = [...this.heartbeats, ...rows.map(({ at }) => at)].slice(-missedHeartbeats);
      return true;
    } catch (error) {
      this.deps.logger.warn({ err: error }, 'heartbeat failed');
      return false;
    }
  }

  private async maintain(): Promise<void> {
    try {
      // A spooled settlement is exact, so it comes before the charge that the sweeper knows.
      await this.replayDead();
      await this.sweepDead();
      await this.releaseStrayed();
      await this.tidy();
    } catch (error) {
      this.deps.logger.warn({ err: error }, 'ledger maintenance failed');
    }
  }

  /**
   * Sweeps dead nodes: charges what their running responses had produced, and releases all other reservations. A node is
   * dead when its last heartbeat is older than `deadSeconds` and older than several heartbeats of this node: after an
   * outage of the database all heartbeats are old, and the nodes are alive.
   * @returns the number of reservations that were released
   */
  async sweepDead(): Promise<number> {
    let total = 0;
    const since = this.heartbeats.length > 1 ? this.heartbeats[0] : null;
    for (;;) {
      const found = await this.deps.pool.query<{ request_id: string; is_due: boolean }>(
        `SELECT request_id, due IS NOT NULL AS is_due FROM reservations r WHERE swept_at IS NULL AND NOT EXISTS (
           SELECT 1 FROM nodes n WHERE n.id = r.node_id
             AND n.heartbeat_at > least(now() - make_interval(secs => $1), $3::timestamptz)) AND ${isOfNoBatch}
         ORDER BY created_at LIMIT $2`,
        [this.times.deadSeconds, sweepBatch, since],
      );
      if (found.rows.length === 0) break;
      for (const { request_id: id, is_due: isDue } of found.rows) if (isDue) await this.chargeDue(id);
      const ids = found.rows.map((row) => row.request_id);
      const given = await this.deps.pool.query('SELECT * FROM ledger_release($1, true)', [ids]);
      total += given.rowCount ?? 0;
      // Rows that another node is sweeping were skipped.
      if (found.rows.length < sweepBatch || (given.rowCount ?? 0) === 0) break;
    }
    if (total > 0) this.deps.logger.info({ count: total }, 'reservations of dead nodes were released');
    return total;
  }

  /** Charges a response of a dead node. A charge that the database refuses is released: it would block all others. */
  private async chargeDue(requestId: string): Promise<void> {
    try {
      await this.deps.pool.query('SELECT ledger_settle_due($1)', [requestId]);
    } catch (error) {
      // The next heartbeat retries.
      if (isUnavailable(error) || isConflict(error)) throw error;
      this.deps.logger.warn({ err: error, requestId }, 'response of a dead node could not be charged');
    }
  }

  /**
   * Releases reservations that this node does not know. A reserving statement may commit although its response was
   * lost.
   */
  private async releaseStrayed(): Promise<void> {
    const found = await this.deps.pool.query<{ request_id: string }>(
      `SELECT request_id FROM reservations r WHERE node_id = $1 AND swept_at IS NULL
         AND created_at < now() - make_interval(secs => $2) AND ${isOfNoBatch} LIMIT $3`,
      [this.deps.nodeId, this.times.strayedSeconds, sweepBatch],
    );
    const strayed = found.rows.map((row) => row.request_id).filter((id) => !this.deps.ledger.holds(id));
    // The row is swept, not deleted: if its settlement is in the spool, the settlement still finds it.
    if (strayed.length > 0) await this.deps.pool.query('SELECT * FROM ledger_release($1, true)', [strayed]);
  }

  private async replayDead(): Promise<void> {
    const living = await this.deps.pool.query<{ id: string }>(
      'SELECT id FROM nodes WHERE heartbeat_at > now() - make_interval(secs => $1)',
      [this.times.deadSeconds],
    );
    const alive = new Set(living.rows.map((row) => row.id));
    await this.deps.ledger.replaySpool((nodeId) => !alive.has(nodeId));
  }

  private async tidy(): Promise<void> {
    if (performance.now() - this.lastTidy < tidyMilliseconds) return;
    this.lastTidy = performance.now();
    await this.deps.pool.query('SELECT logs_ensure_partitions(now(), 2)');
    await this.deps.pool.query('DELETE FROM reservations WHERE swept_at < now() - make_interval(days => $1)', [
      sweptDays,
    ]);
    await this.deps.pool.query('DELETE FROM settled_unlogged WHERE settled_at < now() - make_interval(days => $1)', [
      sweptDays,
    ]);
    // Windows of deleted budgets were deleted with them. A fixed range has one window.
    await this.deps.pool.query(
      `DELETE FROM budget_windows w USING budgets b WHERE b.id = w.budget_id AND b.span <> 'fixed' AND w.held = 0
         AND w.started_at < extract(epoch FROM now())::bigint - $1`,
      [keptWindowDays * 86_400],
    );
    await this.deps.pool.query(`DELETE FROM nodes WHERE heartbeat_at < now() - interval '1 day'`);
  }
}
