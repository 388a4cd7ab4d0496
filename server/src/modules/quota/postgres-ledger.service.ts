import type { Pool } from 'pg';
import { AppError, UnavailableError } from '../../shared/errors.js';
import type { Clock } from '../../shared/clock.js';
import { isQuota } from '../../shared/quota.js';
import { GroupCommit, type GroupCommitMetrics, type Refusal, type Turn } from './group-commit.js';
import { toReserveJson, toSettleLine, type SettleLine } from './ledger-lines.js';
import type { Charge, Ledger, Reservation, ReserveRequest, Settled } from './ledger.service.js';
import type { Spool } from './spool.js';

/** Why a reservation was refused, with the numbers; the relay words it in the site's currency. */
export class QuotaError extends AppError {
  constructor(
    code: 'INSUFFICIENT_QUOTA' | 'INSUFFICIENT_TOKEN_QUOTA',
    readonly available: number,
    readonly needed: number,
  ) {
    super(code, code === 'INSUFFICIENT_QUOTA' ? 'user quota is not enough' : 'token quota is not enough');
  }
}

interface LedgerLogger {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
  info(details: object, message: string): void;
}

export interface LedgerParts {
  readonly pool: Pool;
  readonly nodeId: string;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly logger: LedgerLogger;
  readonly metrics?: GroupCommitMetrics;
}

const probeMilliseconds = 250;

/**
 * The ledger on Postgres. While the database is away new calls are refused at once, settlements go to the spool, and a
 * probe looks for its return; then the spool is replayed and doubtful reservations are given back.
 */
export class PostgresLedger implements Ledger {
  private readonly commits: GroupCommit;
  /** Reservations of this process whose call is not over. */
  private readonly open = new Set<string>();
  /** Reservations that may or may not exist: given back when the database answers again. */
  private readonly doubtful = new Map<string, { userId: number; tokenId: number }>();
  private away = false;
  private probing: Promise<void> | null = null;
  private stopped = false;

  constructor(private readonly parts: LedgerParts) {
    this.commits = new GroupCommit(
      parts.pool,
      parts.nodeId,
      (turn, error) => this.wentAway(turn, error),
      parts.metrics,
    );
  }

  /** False while the database does not answer. */
  get available(): boolean {
    return !this.away;
  }

  /** True while this process still works on the call: the sweeper must leave its reservation alone. */
  holds(requestId: string): boolean {
    return this.open.has(requestId);
  }

  async reserve(request: ReserveRequest): Promise<Reservation> {
    if (!isQuota(request.amount) || request.amount < 0) {
      throw new AppError('INTERNAL_ERROR', `not an amount to hold: ${request.amount}`);
    }
    if (this.away) throw unavailable();
    this.open.add(request.requestId);
    try {
      await new Promise<void>((resolve, reject) => {
        this.commits.reserve({
          requestId: request.requestId,
          userId: request.userId,
          tokenId: request.tokenId,
          json: toReserveJson(request),
          done: (result) => {
            const refusal = result.refused.get(request.requestId);
            if (refusal) reject(toRefusalError(refusal, request));
            else resolve();
          },
          failed: reject,
        });
      });
    } catch (error) {
      this.open.delete(request.requestId);
      throw error;
    }
    return { ...request, reservedAt: this.parts.clock.now() };
  }

  async settle(reservation: Reservation, charge: Charge): Promise<Settled> {
    if (!isQuota(charge.quota) || charge.quota < 0) {
      throw new AppError('INTERNAL_ERROR', `not an amount to charge: ${charge.quota}`);
    }
    const line = toSettleLine(reservation, charge, Math.floor(this.parts.clock.now() / 1000));
    try {
      if (this.away && (await this.spooled([line]))) return { userQuota: null };
      return { userQuota: await this.settleLine(line) };
    } finally {
      this.open.delete(reservation.requestId);
    }
  }

  async release(reservation: Reservation): Promise<void> {
    const { requestId, userId, tokenId } = reservation;
    if (this.away) this.doubtful.set(requestId, { userId, tokenId });
    else await new Promise<void>((done) => this.commits.release({ requestId, userId, tokenId, done }));
    this.open.delete(requestId);
  }

  /** Settles a spooled line; a line that was settled before changes nothing. */
  async replay(line: SettleLine): Promise<void> {
    await this.settleLine(line);
  }

  /** Waits until everything that was asked for is committed or on the disk. */
  async drain(): Promise<void> {
    await this.commits.drained();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.drain();
    await this.probing;
    await this.parts.spool.close();
  }

  private settleLine(line: SettleLine): Promise<number | null> {
    return new Promise((resolve, reject) => {
      this.commits.settle({
        line,
        done: (result) => resolve(result.userQuota.get(line.userId) ?? null),
        failed: (error) => {
          // The database will never take this row as it is: keep it for people, and hold the reservation.
          this.parts.logger.error(
            { err: error, requestId: line.requestId },
            'a settlement was refused by the database',
          );
          this.parts.spool
            .reject(line, error instanceof Error ? error.message : String(error))
            .catch((failure: unknown) => this.parts.logger.error({ err: failure }, 'cannot keep a refused settlement'))
            .finally(() => reject(new AppError('INTERNAL_ERROR', 'the call could not be booked', { cause: error })));
        },
      });
    });
  }

  private async wentAway(turn: Turn, error: unknown): Promise<void> {
    if (!this.away) this.parts.logger.error({ err: error }, 'the database is away: new calls are refused');
    this.away = true;
    for (const item of turn.reserve) {
      this.doubtful.set(item.requestId, { userId: item.userId, tokenId: item.tokenId });
      item.failed(unavailable(error));
    }
    for (const item of turn.release) {
      this.doubtful.set(item.requestId, { userId: item.userId, tokenId: item.tokenId });
      item.done();
    }
    if (turn.settle.length > 0) {
      if (await this.spooled(turn.settle.map((item) => item.line))) {
        for (const item of turn.settle) item.done({ refused: new Map(), userQuota: new Map() });
      } else {
        // Neither the database nor the disk: the calls wait for one of them.
        await new Promise((resolve) => setTimeout(resolve, probeMilliseconds));
        for (const item of turn.settle) this.commits.settle(item);
      }
    }
    this.probing ??= this.probe().finally(() => (this.probing = null));
  }

  private async spooled(lines: SettleLine[]): Promise<boolean> {
    try {
      await this.parts.spool.append(lines);
      return true;
    } catch (error) {
      this.parts.logger.error({ err: error }, 'cannot write the settlement spool');
      return false;
    }
  }

  /** Runs until the database answers and everything that waited for it is booked. */
  private async probe(): Promise<void> {
    while (this.away && !this.stopped) {
      try {
        await this.parts.pool.query('SELECT 1');
      } catch {
        await new Promise((resolve) => setTimeout(resolve, probeMilliseconds));
        continue;
      }
      this.away = false;
      this.parts.logger.info({ doubtful: this.doubtful.size }, 'the database is back');
      await this.releaseDoubtful();
      // It may go away again meanwhile: then `away` is set, what is open is back in the spool, and this goes on.
      await this.replaySpool(() => false);
    }
  }

  private async releaseDoubtful(): Promise<void> {
    const all = [...this.doubtful];
    this.doubtful.clear();
    await Promise.all(
      all.map(([requestId, owner]) => new Promise<void>((done) => this.commits.release({ requestId, ...owner, done }))),
    );
  }

  /** Settles what this node and dead nodes left on the disk. Safe to call at any time. */
  async replaySpool(isDead: (nodeId: string) => boolean): Promise<number> {
    const { spool, logger } = this.parts;
    await spool.rotate();
    let count = 0;
    for (const name of await spool.pending(isDead)) {
      const lines = await spool.read(name);
      await Promise.allSettled(lines.map((line) => this.replay(line)));
      // While this ran the database may have gone again: then the lines are back in the open file, which is kept.
      await spool.remove(name);
      count += lines.length;
      logger.info({ file: name, lines: lines.length }, 'spooled settlements were replayed');
    }
    return count;
  }
}

const unavailable = (cause?: unknown): UnavailableError =>
  new UnavailableError('The service is temporarily unavailable, try again later', { cause });

function toRefusalError(refusal: Refusal, request: ReserveRequest): AppError {
  switch (refusal.outcome) {
    case 2:
      return new QuotaError('INSUFFICIENT_QUOTA', refusal.userQuota, request.amount);
    case 3:
      return new QuotaError('INSUFFICIENT_TOKEN_QUOTA', refusal.tokenQuota, request.amount);
    case 4:
      return new AppError('CONFLICT', 'This request id was used before');
    default:
      return new AppError('INVALID_API_KEY', 'Invalid token');
  }
}
