import type { Pool } from 'pg';
import type { Signals } from '../../platform/live/signals.js';
import { AppError } from '../../shared/errors.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { BatchQueue, isUnavailable, type GroupCommitMetrics } from './group-commit.js';
import { ChannelHolds } from './channel-holds.js';
import { toHoldError, unavailable, type UnstoredError } from './ledger-errors.js';
import type { ReleaseItem, ReserveItem, SettleItem } from './ledger-items.js';
import { isCharge, type SettleLine, toReserveJson, toSettleLine } from './ledger-lines.js';
import { LedgerSql, refusalError, type Refusal } from './ledger-sql.js';
import type { BudgetHold, BudgetRefusal } from './budget-holds.js';
import type { Charge, Ledger, Reservation, ReserveRequest, Settled } from './ledger.js';
import type { Spool } from './spool.js';
import { SpoolReplay } from './spool-replay.js';
import { type LedgerLogger, SpoolWriter } from './spool-writer.js';

export interface LedgerDeps {
  readonly pool: Pool;
  /** Whether prepared statements are used. Default: true. */
  readonly preparedStatements?: boolean;
  readonly nodeId: string;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly logger: LedgerLogger;
  readonly metrics?: GroupCommitMetrics;
  /** Notified of every committed batch; never awaited. */
  readonly signals?: Pick<Signals, 'wantedUntil' | 'send'>;
}

const probeMilliseconds = 250;

/**
 * The ledger on Postgres. Reservations, settlements and releases each have a batch queue, so that no call waits for a
 * batch of another kind. While the database is unavailable, new calls are refused at once, settlements go to the spool,
 * and a probe waits until it can be written again. Then the spool is replayed and doubtful reservations are released.
 */
export class PostgresLedger implements Ledger {
  private readonly reserving: BatchQueue<ReserveItem>;
  /**
   * The queue of reservations with budgets. It is separate, so that calls without a budget use statements of their own.
   */
  private readonly reservingBudgeted: BatchQueue<ReserveItem>;
  private readonly settling: BatchQueue<SettleItem>;
  private readonly releasing: BatchQueue<ReleaseItem>;
  private readonly sql: LedgerSql;
  /** Null until a channel with a budget serves a call. */
  private channelHolds: ChannelHolds | null = null;
  private readonly spoolReplay: SpoolReplay;
  /** Reservations of this process whose call is running. */
  private readonly open = new Set<string>();
  /** Reservations that may or may not exist. They are released when the database responds again. */
  private readonly doubtful = new Set<string>();
  /** Reservations that are being released. */
  private readonly returning = new Set<string>();
  private readonly spoolWriter: SpoolWriter;
  private withoutDatabase = false;
  private probing: Promise<void> | null = null;
  private stopped = false;

  constructor(private readonly deps: LedgerDeps) {
    const sql = new LedgerSql(deps.pool, deps.nodeId, deps.preparedStatements);
    this.sql = sql;
    this.spoolWriter = new SpoolWriter(deps.spool, deps.logger);
    this.spoolReplay = new SpoolReplay({
      spool: deps.spool,
      logger: deps.logger,
      settle: (line) => this.replay(line),
    });
    this.reserving = this.reserveQueue((rows, flushed) => sql.reserve(rows, flushed));
    this.reservingBudgeted = this.reserveQueue((rows, flushed) => sql.reserveBudgeted(rows, flushed));
    this.settling = new BatchQueue<SettleItem>(
      {
        run: async (items) => {
          for (const { line } of items) if (line.drop) await sql.dropBudgets(line.requestId, line.drop);
          const { balances, missing, uncharged } = await sql.settle(items.map((item) => item.line.json));
          const lost =
            missing.size === 0 ? [] : items.filter(({ line, owned }) => owned && missing.has(line.requestId));
          const unstored = lost.length > 0 ? await this.settleLost(sql, lost) : none;
          for (const { line } of items) if (line.isOfPlan) balances.delete(line.userId);
          for (const { line, done, failed } of items) {
            const problem = unstored.get(line.requestId);
            if (problem) {
              failed(problem);
              continue;
            }
            const userQuota = balances.get(line.userId) ?? null;
            done({ userQuota, uncharged: uncharged.get(line.requestId) ?? 0 });
          }
          this.signalSettled(items);
        },
        unavailable: (items, error) => this.settlementsUnavailable(items, error),
        refused: (item, error) => this.settlementRefused(item, error),
      },
      deps.metrics,
    );
    this.releasing = new BatchQueue<ReleaseItem>({
      run: async (items) => {
        await sql.release(items.map((item) => item.requestId));
        for (const { done } of items) done();
      },
      unavailable: (items, error) => this.releasesUnavailable(items, error),
      refused: ({ requestId, done }, error) => {
        // The sweeper releases it later.
        this.deps.logger.error({ err: error, requestId }, 'reservation could not be released');
        done();
      },
    });
  }

  private reserveQueue(
    reserve: (rows: readonly string[], flushed: boolean) => Promise<Map<string, Refusal>>,
  ): BatchQueue<ReserveItem> {
    return new BatchQueue<ReserveItem>(
      {
        run: async (items) => {
          const refused = await reserve(
            items.map((item) => item.json),
            items.some(({ request }) => request.durable === true),
          );
          for (const { request, done, failed } of items) {
            const refusal = refused.get(request.requestId);
            if (refusal) failed(refusalError(refusal, request));
            else done();
          }
        },
        unavailable: (items, error) => this.reservationsUnavailable(items, error),
        refused: ({ failed }, error) => failed(toHoldError(error)),
      },
      this.deps.metrics,
    );
  }

  /** False while the database does not respond, or cannot be written. */
  get available(): boolean {
    return !this.withoutDatabase;
  }

  /** Settlements that are only in the memory of this process. */
  get waitingInMemory(): number {
    return this.spoolWriter.unstored.size;
  }

  /** True while this process works on the call: the sweeper must then keep its reservation. */
  holds(requestId: string): boolean {
    return this.open.has(requestId);
  }

  reserve(request: ReserveRequest): Promise<Reservation> {
    const { requestId, amount } = request;
    if (!isCharge(amount)) {
      return Promise.reject(new AppError('INTERNAL_ERROR', `invalid amount to reserve: ${amount}`));
    }
    // A call reserves again for its next attempt. A release of its last reservation must not remove the new one.
    if (this.withoutDatabase || this.doubtful.has(requestId) || this.returning.has(requestId))
      return Promise.reject(unavailable());
    this.open.add(requestId);
    return new Promise((resolve, reject) => {
      const failed = (error: unknown): void => {
        this.open.delete(requestId);
        reject(error instanceof Error ? error : new Error(String(error)));
      };
      const done = (): void => resolve(Object.assign({}, request, { reservedAt: this.deps.clock.now() }));
      const queue = request.budgets ? this.reservingBudgeted : this.reserving;
      queue.add({ request, json: toReserveJson(request), done, failed });
    });
  }

  async addBudgets(requestId: string, holds: readonly BudgetHold[]): Promise<BudgetRefusal | null> {
    if (this.withoutDatabase) throw unavailable();
    return this.openChannelHolds().add(requestId, holds);
  }

  dropBudgets(requestId: string, holds: readonly BudgetHold[]): Promise<void> {
    return this.openChannelHolds().drop(requestId, holds);
  }

  private openChannelHolds(): ChannelHolds {
    this.channelHolds ??= new ChannelHolds({
      sql: this.sql,
      logger: this.deps.logger,
      isOpen: (requestId) => this.open.has(requestId),
      databaseUnavailable: (error) => this.databaseUnavailable(error),
    });
    return this.channelHolds;
  }

  settle(reservation: Reservation, charge: Charge): Promise<Settled> {
    const { requestId } = reservation;
    const dropped = this.channelHolds?.dropped(requestId);
    if (dropped) return dropped.then(() => this.settle(reservation, charge));
    if (!isCharge(charge.quota)) {
      // The sweeper releases the reservation.
      this.open.delete(requestId);
      return Promise.reject(new AppError('INTERNAL_ERROR', `invalid amount to charge: ${charge.quota}`));
    }
    const plain = toSettleLine(reservation, charge, seconds(this.deps.clock));
    const line = this.channelHolds?.withUndropped(plain) ?? plain;
    const owned = this.open.has(requestId);
    return this.withoutDatabase ? this.settleWithoutDatabase(line, owned) : this.settleLine(line, owned);
  }

  /** Writes a settlement to the disk. It waits for the database only if the disk fails. */
  private async settleWithoutDatabase(line: SettleLine, owned: boolean): Promise<Settled> {
    if (!(await this.spoolWriter.append([line]))) return this.settleLine(line, owned);
    this.open.delete(line.requestId);
    return spooled;
  }

  async release({ requestId }: Reservation): Promise<void> {
    if (this.withoutDatabase) this.doubtful.add(requestId);
    else await new Promise<void>((done) => this.releasing.add({ requestId, done }));
    this.open.delete(requestId);
    this.channelHolds?.forget(requestId);
  }

  /** Settles a spooled line. A line that was settled before changes nothing. */
  async replay(line: SettleLine): Promise<void> {
    await this.settleLine(line, true);
  }

  /** Resolves when all requested work is committed or on disk. */
  async drain(): Promise<void> {
    await Promise.all([
      this.reserving.drained(),
      this.reservingBudgeted.drained(),
      this.settling.drained(),
      this.releasing.drained(),
      this.channelHolds?.drained(),
    ]);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.drain();
    await this.probing;
    await this.deps.spool.close();
  }

  private signalSettled(items: readonly SettleItem[]): void {
    const { signals, clock } = this.deps;
    if (!signals || signals.wantedUntil <= clock.now()) return;
    signals.send('log');
    signals.send(
      'balance',
      items.map(({ line }) => line.userId),
    );
  }

  private settleLine(line: SettleLine, owned: boolean): Promise<Settled> {
    return new Promise((resolve, reject) => {
      const done = (settled: Settled): void => {
        this.open.delete(line.requestId);
        this.spoolWriter.unstored.delete(line.requestId);
        resolve(settled);
      };
      const failed = (error: unknown): void => {
        this.open.delete(line.requestId);
        this.spoolWriter.unstored.delete(line.requestId);
        reject(error instanceof Error ? error : new Error(String(error)));
      };
      this.settling.add({ line, owned, done, failed });
    });
  }

  /**
   * Settles calls without a reservation. They were settled before, or a database crash lost the reservation.
   * @returns the failures of calls that could be neither settled nor stored, by request id
   */
  private async settleLost(sql: LedgerSql, items: readonly SettleItem[]): Promise<ReadonlyMap<string, UnstoredError>> {
    const { balances, doubtful } = await sql.settleLost(items.map(({ line }) => line.json));
    const { logger } = this.deps;
    if (balances.size > 0) logger.warn({ users: balances.size }, 'calls were settled without their reservation');
    const unstored = new Map<string, UnstoredError>();
    for (const { line } of items) {
      if (!doubtful.has(line.requestId)) continue;
      logger.error({ requestId: line.requestId }, 'it is unknown whether this call was settled');
      const problem = await this.spoolWriter.reject(
        line,
        'its reservation is missing and the log of its time was deleted',
      );
      if (problem) unstored.set(line.requestId, problem);
    }
    return unstored;
  }

  /**
   * Handles a row that the database refuses permanently: it is stored for manual inspection, and its reservation stays.
   */
  private settlementRefused({ line, failed }: SettleItem, error: unknown): void {
    this.deps.logger.error({ err: error, requestId: line.requestId }, 'settlement refused by the database');
    void this.spoolWriter
      .reject(line, error instanceof Error ? error.message : String(error))
      .then((problem) =>
        failed(problem ?? new AppError('INTERNAL_ERROR', 'the call could not be charged', { cause: error })),
      );
  }

  private reservationsUnavailable(items: ReserveItem[], error: unknown): Promise<void> {
    this.databaseUnavailable(error);
    for (const { request, failed } of items) {
      this.doubtful.add(request.requestId);
      failed(unavailable(error));
    }
    return Promise.resolve();
  }

  private releasesUnavailable(items: ReleaseItem[], error: unknown): Promise<void> {
    this.databaseUnavailable(error);
    for (const { requestId, done } of items) {
      this.doubtful.add(requestId);
      done();
    }
    return Promise.resolve();
  }

  private async settlementsUnavailable(items: SettleItem[], error: unknown): Promise<void> {
    this.databaseUnavailable(error);
    if (await this.spoolWriter.append(items.map((item) => item.line))) {
      for (const { done } of items) done(spooled);
      return;
    }
    // Neither the database nor the disk is available, so the calls wait until one is.
    await new Promise((resolve) => setTimeout(resolve, probeMilliseconds));
    for (const item of items) this.settling.add(item);
  }

  private databaseUnavailable(error: unknown): void {
    if (!this.withoutDatabase) this.deps.logger.error({ err: error }, 'database unavailable: new calls are refused');
    this.withoutDatabase = true;
    this.probing ??= this.probe();
  }

  /** Runs until the database can be written and all delayed settlements are committed. Never throws. */
  private async probe(): Promise<void> {
    while (this.withoutDatabase && !this.stopped) {
      try {
        await this.sql.tryWriting();
      } catch (error) {
        // A database that works may refuse temporary tables to a role without that right.
        if (isUnavailable(error)) {
          await new Promise((resolve) => setTimeout(resolve, probeMilliseconds));
          continue;
        }
      }
      this.withoutDatabase = false;
      this.deps.logger.info({ doubtful: this.doubtful.size }, 'database available again');
      await this.releaseDoubtful();
      // The database may fail again meanwhile: then `withoutDatabase` is set, open settlements are spooled again, and the loop
      // continues.
      await this.replaySpool(() => false).catch((error: unknown) => {
        // The next heartbeat retries.
        this.deps.logger.error({ err: error }, 'the settlement spool could not be replayed');
      });
    }
    // `probing` is reset without a pause after the last check of `withoutDatabase`: a later failure has to start a new
    // probe.
    this.probing = null;
  }

  private async releaseDoubtful(): Promise<void> {
    const all = [...this.doubtful];
    this.doubtful.clear();
    const release = async (requestId: string): Promise<void> => {
      this.returning.add(requestId);
      await new Promise<void>((done) => this.releasing.add({ requestId, done }));
      this.returning.delete(requestId);
    };
    await Promise.all(all.map(release));
  }

  /**
   * Settles the spool files of this node and of dead nodes. May be called at any time, by the probe and by the keeper.
   */
  replaySpool(isDead: (nodeId: string) => boolean): Promise<number> {
    return this.spoolReplay.run(isDead);
  }
}

const none: ReadonlyMap<string, UnstoredError> = new Map();

/** The result of a spooled settlement. The balance becomes known when the spool is replayed. */
const spooled: Settled = { userQuota: null, uncharged: 0 };
