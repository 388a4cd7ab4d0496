import type { Pool } from 'pg';
import type { SettleLine } from './ledger-lines.js';

/** What one refused reservation looked like to the database. */
export interface Refusal {
  readonly requestId: string;
  /** 1 user unknown, 2 user quota too low, 3 token quota too low, 4 request id used before. */
  readonly outcome: number;
  readonly userQuota: number;
  readonly tokenQuota: number;
}

export interface TurnResult {
  readonly refused: ReadonlyMap<string, Refusal>;
  /** Balance after, by user. */
  readonly userQuota: ReadonlyMap<number, number>;
}

export interface SettleItem {
  readonly line: SettleLine;
  readonly done: (result: TurnResult) => void;
  readonly failed: (error: unknown) => void;
}

export interface ReleaseItem {
  readonly requestId: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly done: () => void;
}

export interface ReserveItem {
  readonly requestId: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly json: string;
  readonly done: (result: TurnResult) => void;
  readonly failed: (error: unknown) => void;
}

/** Calls that share one transaction. */
export interface Turn {
  settle: SettleItem[];
  release: ReleaseItem[];
  reserve: ReserveItem[];
}

export interface GroupCommitMetrics {
  turn(size: number, milliseconds: number): void;
}

const maxBatch = 256;
const maxConflictRetries = 5;

const turnSize = (turn: Turn): number => turn.settle.length + turn.release.length + turn.reserve.length;
const emptyTurn = (): Turn => ({ settle: [], release: [], reserve: [] });

/**
 * While one batch is on its way to the database the next one gathers: no timer, so an idle node adds no wait, and batches
 * grow with the load. A batch that the database refuses for its data is tried again one by one, so that one bad row
 * harms nobody else.
 */
export class GroupCommit {
  private waiting = emptyTurn();
  private running = false;
  private idle: Array<() => void> = [];

  constructor(
    private readonly pool: Pool,
    private readonly nodeId: string,
    /** Called when the database could not be reached: the outcome of the turn is unknown. */
    private readonly onAway: (turn: Turn, error: unknown) => Promise<void>,
    private readonly metrics?: GroupCommitMetrics,
  ) {}

  settle(item: SettleItem): void {
    this.waiting.settle.push(item);
    this.wake();
  }

  release(item: ReleaseItem): void {
    this.waiting.release.push(item);
    this.wake();
  }

  reserve(item: ReserveItem): void {
    this.waiting.reserve.push(item);
    this.wake();
  }

  /** Resolves when nothing is queued or on its way. */
  async drained(): Promise<void> {
    if (!this.running && turnSize(this.waiting) === 0) return;
    await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  private wake(): void {
    if (this.running) return;
    this.running = true;
    // After this round of I/O callbacks, so that calls which arrived together start together.
    setImmediate(() => void this.work());
  }

  private async work(): Promise<void> {
    while (turnSize(this.waiting) > 0) {
      const turn = this.take();
      try {
        await this.runWithRetry(turn);
      } catch (error) {
        if (isAway(error)) await this.onAway(turn, error);
        else await this.runOneByOne(turn);
      }
    }
    this.running = false;
    for (const resolve of this.idle.splice(0)) resolve();
  }

  private take(): Turn {
    if (turnSize(this.waiting) <= maxBatch) {
      const turn = this.waiting;
      this.waiting = emptyTurn();
      return turn;
    }
    // Settlements and releases first: they give money back.
    const settle = this.waiting.settle.splice(0, maxBatch);
    const release = this.waiting.release.splice(0, maxBatch - settle.length);
    const reserve = this.waiting.reserve.splice(0, maxBatch - settle.length - release.length);
    return { settle, release, reserve };
  }

  private async runWithRetry(turn: Turn): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await this.run(turn);
        return;
      } catch (error) {
        if (!isConflict(error) || attempt >= maxConflictRetries) throw error;
      }
    }
  }

  private async runOneByOne(turn: Turn): Promise<void> {
    const singles: Turn[] = [
      ...turn.settle.map((item) => ({ ...emptyTurn(), settle: [item] })),
      ...turn.release.map((item) => ({ ...emptyTurn(), release: [item] })),
      ...turn.reserve.map((item) => ({ ...emptyTurn(), reserve: [item] })),
    ];
    for (const single of singles) {
      try {
        await this.runWithRetry(single);
      } catch (error) {
        if (isAway(error)) await this.onAway(single, error);
        else {
          for (const item of [...single.settle, ...single.reserve]) item.failed(error);
          for (const item of single.release) item.done();
        }
      }
    }
  }

  private async run(turn: Turn): Promise<void> {
    const started = performance.now();
    const users = new Set<number>();
    const tokens = new Set<number>();
    const note = (item: { userId: number; tokenId: number }): void => {
      users.add(item.userId);
      if (item.tokenId !== 0) tokens.add(item.tokenId);
    };
    for (const item of turn.settle) note(item.line);
    turn.release.forEach(note);
    turn.reserve.forEach(note);

    const answer = await this.pool.query<TurnRow>({
      name: 'ledger-turn',
      text: 'SELECT * FROM ledger_turn($1, $2::integer[], $3::integer[], $4::json, $5::text[], $6::json)',
      values: [
        this.nodeId,
        pgArray(users),
        pgArray(tokens),
        turn.settle.length > 0 ? `[${turn.settle.map((item) => item.line.json).join(',')}]` : null,
        turn.release.length > 0 ? turn.release.map((item) => item.requestId) : null,
        turn.reserve.length > 0 ? `[${turn.reserve.map((item) => item.json).join(',')}]` : null,
      ],
      rowMode: 'array',
    });
    const result = toResult(answer.rows);
    for (const item of turn.settle) item.done(result);
    for (const item of turn.release) item.done();
    for (const item of turn.reserve) item.done(result);
    this.metrics?.turn(turnSize(turn), performance.now() - started);
  }
}

type TurnRow = [
  kind: string,
  request: string | null,
  outcome: number,
  user: number,
  userQuota: string | null,
  tokenQuota: string | null,
];

function toResult(rows: TurnRow[]): TurnResult {
  const refused = new Map<string, Refusal>();
  const userQuota = new Map<number, number>();
  for (const [kind, requestId, outcome, user, quota, tokenQuota] of rows) {
    if (kind === 'u') userQuota.set(user, Number(quota));
    else if (requestId !== null) {
      refused.set(requestId, { requestId, outcome, userQuota: Number(quota), tokenQuota: Number(tokenQuota) });
    }
  }
  return { refused, userQuota };
}

const pgArray = (numbers: Set<number>): string => `{${[...numbers].join(',')}}`;

/** Serialization failure or deadlock: the same turn may work now. */
function isConflict(error: unknown): boolean {
  const code = sqlState(error);
  return code === '40001' || code === '40P01';
}

/** The server said nothing, or that it is going away or full: whether the turn was committed is not known. */
export function isAway(error: unknown): boolean {
  const code = sqlState(error);
  if (code === null) return true;
  // 08 connection, 53 resources (too many connections, disk full), 57 operator (shutdown, statement timeout), 58 system, 25006 read-only
  return /^(08|53|57|58)/.test(code) || code === '25006' || code === 'XX000';
}

function sqlState(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code) ? code : null;
}
