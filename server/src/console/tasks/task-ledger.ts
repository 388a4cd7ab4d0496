import type { DataSource, EntityManager, EntityTarget } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import type { Change } from '../../platform/cache/shared-state.js';
import type { UsageLog } from '../../shared/audit.js';
import { dateOf, seconds, type Clock } from '../../shared/clock.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import { formatQuota } from '../../shared/quota.js';
import { LogType } from '../logs/index.js';
import type { OptionValues } from '../../options/option.service.js';
import {
  type Charge,
  type Ledger,
  planHoldsOf,
  type PostEntry,
  releaseWithin,
  type Reservation,
  returnToPlan,
  type RowPart,
  settleWithin,
  splitRow,
} from '../../billing/ledger/index.js';
import { CreativeTask } from './creative-task.entity.js';
import { Drawing } from './drawing.entity.js';

/** Columns that both kinds of tasks have. */
type TaskRow = Drawing | CreativeTask;

export interface TaskKind<Row extends TaskRow> {
  readonly entity: EntityTarget<Row>;
  readonly table: 'midjourneys' | 'tasks';
  /** The column of the provider's id. */
  readonly nameColumn: 'mj_id' | 'task_id';
  /** The name of the kind in the source of refunds in the ledger: `refund:mj:<row>`. */
  readonly source: 'mj' | 'task';
  /** The kind of the change announcements of its rows. */
  readonly change: 'drawing' | 'creativeTask';
  readonly word: string;
}

export const drawingKind: TaskKind<Drawing> = {
  entity: Drawing,
  table: 'midjourneys',
  nameColumn: 'mj_id',
  source: 'mj',
  change: 'drawing',
  word: 'image task',
};

export const creativeKind: TaskKind<CreativeTask> = {
  entity: CreativeTask,
  table: 'tasks',
  nameColumn: 'task_id',
  source: 'task',
  change: 'creativeTask',
  word: 'async task',
};

export interface Accepted {
  /**
   * `known`: the user already has a row for this task, which stays the only one; `given up`: the row was closed
   * meanwhile. Only `taken` charges.
   */
  readonly outcome: 'taken' | 'known' | 'given up';
  /** The user's new balance after a charge; null without a charge. */
  readonly userQuota: number | null;
}

/** A row with this progress never changes again. */
export const finished = 100;

interface LockedRow {
  readonly name: string;
  readonly progress: number;
  readonly status: string;
  readonly quota: string;
  readonly user_id: number;
  readonly token_id: number;
  readonly username: string;
  readonly is_logged: boolean;
  readonly plan_holds: object[] | null;
}

export interface TaskLedgerDeps {
  readonly database: DataSource;
  readonly ledger: Pick<Ledger, 'release'>;
  readonly postEntry: PostEntry;
  readonly usageLog: UsageLog;
  readonly changes: Changes;
  readonly options: { readonly values: OptionValues };
  readonly clock: Clock;
}

/**
 * Charges and refunds tasks. A row is locked before it changes. The charged amount is stored on the row in the
 * transaction of the charge, and the transition to FAILURE refunds that amount to user and token in its own
 * transaction: to the windows of the plan if one has paid it. A task is therefore charged and refunded at most once, whichever
 * node reports its end and however often.
 */
export class TaskLedger {
  constructor(private readonly deps: TaskLedgerDeps) {}

  /**
   * Writes the task's row before the provider is called. If that fails, the reservation is released.
   * @returns the row id
   */
  async open<Row extends TaskRow>(kind: TaskKind<Row>, row: Partial<Row>, reservation: Reservation): Promise<number> {
    const { database, ledger } = this.deps;
    const { identifiers } = await database.manager.insert(kind.entity, row as never).catch(async (error: unknown) => {
      await ledger.release(reservation);
      throw error;
    });
    const id = (identifiers as Array<{ id: number }>)[0]?.id ?? 0;
    void this.announce(kind, id);
    return id;
  }

  /**
   * Charges a task that the provider accepted, and stores the provider's response.
   * @param charge null when nothing is charged
   * @param window the row whose dialog this submission completes; it is removed, if it was free, because the provider
   * keeps its id
   */
  async accept<Row extends TaskRow>(
    kind: TaskKind<Row>,
    id: number,
    fields: Partial<Row>,
    reservation: Reservation,
    charge: Charge | null,
    window: number | null = null,
  ): Promise<Accepted> {
    const { database } = this.deps;
    try {
      return await database.transaction(async (manager) => {
        const row = await lock(manager, kind, id);
        if (!row || row.progress === finished) return givenUp;
        if (window !== null)
          await manager.query(`DELETE FROM ${kind.table} WHERE id = $1 AND charged_at IS NULL`, [window]);
        // The id is written before the price: an id that another row has makes this transaction wait for the one that
        // changes that row, which may in turn wait for the balance.
        await manager.update(kind.entity, id, fields as never);
        if (!charge) return { outcome: 'taken', userQuota: null };
        const at = seconds(this.deps.clock);
        const settled = await settleWithin(manager, reservation, charge, at);
        if (!settled) throw new NotHeldError();
        await manager.update(kind.entity, id, {
          quota: charge.quota,
          chargedAt: dateOf(at),
          isLogged: charge.logged,
          planHolds: planHoldsOf(reservation),
        } as never);
        return { outcome: 'taken', userQuota: settled.userQuota };
      });
    } catch (error) {
      if (error instanceof NotHeldError) return givenUp;
      if (!isUniqueViolation(error)) throw error;
      // The transaction was rolled back, including the charge.
      await database.manager.delete(kind.entity, id);
      return { outcome: 'known', userQuota: null };
    } finally {
      // After a settlement this releases nothing; without one it releases the whole amount.
      await this.deps.ledger.release(reservation);
      void this.announce(kind, id, ...(window === null ? [] : [{ kind: kind.change, id: window }]));
    }
  }

  /**
   * Ends a task whose reservation was kept until its end: charges it, and releases the rest of the reservation.
   * @param charge null when nothing is charged
   * @param also runs in the transaction that ends the task
   * @returns false when the task had ended before
   */
  async end<Row extends TaskRow>(
    kind: TaskKind<Row>,
    id: number,
    fields: Partial<Row>,
    reservation: Reservation,
    charge: Charge | null,
    also: (manager: EntityManager) => Promise<void> = () => Promise.resolve(),
  ): Promise<boolean> {
    const ended = await this.deps.database.transaction(async (manager) => {
      const row = await lock(manager, kind, id);
      if (!row || row.progress === finished) return false;
      await manager.update(kind.entity, id, { ...fields, progress: finished } as never);
      await also(manager);
      if (!charge) {
        await releaseWithin(manager, reservation);
        return true;
      }
      const at = seconds(this.deps.clock);
      const settled = await settleWithin(manager, reservation, charge, at);
      // A user who was removed has no reservation.
      if (!settled) return true;
      await manager.update(kind.entity, id, {
        quota: charge.rest ? await loggedCharge(manager, reservation, at) : charge.quota - settled.uncharged,
        chargedAt: dateOf(at),
        isLogged: charge.logged,
      } as never);
      return true;
    });
    await this.deps.ledger.release(reservation);
    const { userId, tokenId } = reservation;
    if (ended) await this.announce(kind, id, { kind: 'user', id: userId }, { kind: 'token', id: tokenId });
    return ended;
  }

  /**
   * Gives each part of a charged task a log row. The cost of the task does not change.
   * @param cost as `splitRow` takes it
   */
  splitRow(requestId: string, parts: Iterable<RowPart>, cost: number | null): Promise<void> {
    return this.deps.database.transaction((manager) => splitRow(manager, requestId, parts, cost));
  }

  /** Closes a task that the provider did not accept. */
  async refuse<Row extends TaskRow>(
    kind: TaskKind<Row>,
    id: number,
    fields: Partial<Row>,
    reservation: Reservation,
  ): Promise<void> {
    try {
      await this.move(kind, id, { ...fields, status: 'FAILURE', progress: finished });
    } finally {
      await this.deps.ledger.release(reservation);
    }
  }

  /**
   * Makes one transition of a task. The transition to FAILURE refunds; a final state never changes.
   * @returns true when the row changed
   */
  async move<Row extends TaskRow>(kind: TaskKind<Row>, id: number, step: Partial<Row>): Promise<boolean> {
    const moved = await this.deps.database.transaction(async (manager) => {
      const row = await lock(manager, kind, id);
      if (!row || row.progress === finished) return null;
      await manager.update(kind.entity, id, step as never);
      const refunds = step.progress === finished && step.status === 'FAILURE' && Number(row.quota) > 0;
      if (refunds) await this.refund(manager, kind, id, row);
      return { row, refunds };
    });
    if (!moved) return false;
    const { row, refunds } = moved;
    const balances: Change[] = [
      { kind: 'user', id: row.user_id },
      { kind: 'token', id: row.token_id },
    ];
    await this.announce(kind, id, ...(refunds ? balances : []));
    return true;
  }

  /** Announces every transition of a task after its commit. Never fails. */
  private announce<Row extends TaskRow>(kind: TaskKind<Row>, id: number, ...more: Change[]): Promise<void> {
    return this.deps.changes.announce({ kind: kind.change, id }, ...more);
  }

  private async refund<Row extends TaskRow>(
    manager: EntityManager,
    kind: TaskKind<Row>,
    id: number,
    row: LockedRow,
  ): Promise<void> {
    const { postEntry, usageLog: audit, options } = this.deps;
    const amount = Number(row.quota);
    const source = `refund:${kind.source}:${id}`;
    const { user_id: userId, token_id: tokenId } = row;
    // Users are locked before tokens, as in every transaction. Deleted users get no refund.
    if (!(await exists(manager, 'users', userId))) return;
    await postEntry(manager, { source, kind: 'refund', userId, amount, note: row.name });
    if (tokenId !== 0 && (await exists(manager, 'tokens', tokenId))) {
      await postEntry(manager, {
        source: `${source}:token`,
        kind: 'refund',
        account: 'token',
        userId,
        tokenId,
        amount,
        note: row.name,
      });
      await manager.query(
        "UPDATE tokens SET status = 'enabled' WHERE id = $1 AND status = 'exhausted' AND remain_quota > 0",
        [tokenId],
      );
    }
    if (row.plan_holds) await returnToPlan(manager, { holds: row.plan_holds, amount, isLogged: row.is_logged });
    const shown = formatQuota(amount, options.values);
    const refunded = row.plan_holds ? 'returned to its plan:' : 'compensated';
    await audit.record(manager, {
      type: LogType.system,
      userId,
      username: row.username,
      content: `${kind.word} ${row.name} failed, ${refunded} ${shown}`,
      quota: amount,
    });
  }
}

/** Rolls back a task whose reservation no longer exists. */
class NotHeldError extends Error {}

const givenUp: Accepted = { outcome: 'given up', userQuota: null };

async function lock<Row extends TaskRow>(
  manager: EntityManager,
  { table, nameColumn }: TaskKind<Row>,
  id: number,
): Promise<LockedRow | undefined> {
  const rows = await manager.query<LockedRow[]>(
    `SELECT ${nameColumn} AS name, progress, status, quota, user_id, token_id, username, is_logged, plan_holds
     FROM ${table} WHERE id = $1 FOR NO KEY UPDATE`,
    [id],
  );
  return rows[0];
}

/** Returns a charge from its log row: the fractions that its user carries may add a unit to it. */
async function loggedCharge(manager: EntityManager, { requestId }: Reservation, at: number): Promise<number> {
  const [row] = await manager.query<Array<{ quota: string }>>(
    'SELECT quota FROM logs WHERE created_at = $1 AND request_id = $2 AND type = $3',
    [at, requestId, LogType.consume],
  );
  return Number(row?.quota);
}

async function exists(manager: EntityManager, table: 'users' | 'tokens', id: number): Promise<boolean> {
  const sql = `SELECT 1 FROM ${table} WHERE id = $1 FOR NO KEY UPDATE`;
  return (await manager.query<unknown[]>(sql, [id])).length > 0;
}
