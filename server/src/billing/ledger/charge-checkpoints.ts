import type { Pool } from 'pg';
import type { LedgerLogger } from './spool-writer.js';

/** The charge of a reservation if this server were killed now. */
export interface UnsettledCharge {
  readonly requestId: string;
  /** JSON text of `reservations.due`; null when there is nothing to charge. */
  readonly due: string | null;
}

/** A session whose responses are charged when they end. */
export interface UnsettledSource {
  /** Returns an entry for each reservation of the session that a charge may be due for. */
  unsettled(): readonly UnsettledCharge[];
}

const leastPause = 100;
/** The pause after a write as a multiple of its duration, so that a slow database is not kept busy with these writes. */
const pauseOfDuration = 4;
/**
 * Number of charges after which a statement is sent, so that counting them does not delay other work of the server. Charges
 * of one session are not split, so a statement may have more.
 */
const batchSize = 200;

/**
 * Writes down what running responses have produced, so that another server, or the next process, charges it if this
 * process is killed. One write serves all sessions of a node. There are at most ten a second, and none while nothing changes.
 */
export class ChargeCheckpoints {
  private readonly changed = new Set<UnsettledSource>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly pool: Pick<Pool, 'query'>,
    private readonly logger: Pick<LedgerLogger, 'warn'>,
  ) {}

  /** Writes the charges of a source soon. */
  note(source: UnsettledSource): void {
    this.changed.add(source);
    this.timer ??= setTimeout(() => void this.write(), leastPause);
  }

  /** Ends the writes for a source whose reservations are settled. */
  forget(source: UnsettledSource): void {
    this.changed.delete(source);
  }

  /** Never throws. After a failed write the next change writes again: charges are lost only if the process is killed in between. */
  private async write(): Promise<void> {
    const startedAt = performance.now();
    const sources = [...this.changed];
    this.changed.clear();
    let charges: UnsettledCharge[] = [];
    for (const [index, source] of sources.entries()) {
      charges.push(...this.chargesOf(source));
      if (charges.length < batchSize && index < sources.length - 1) continue;
      await this.store(charges);
      charges = [];
    }
    const pause = Math.max(leastPause, (performance.now() - startedAt) * pauseOfDuration);
    this.timer = this.changed.size > 0 ? setTimeout(() => void this.write(), pause) : null;
  }

  private chargesOf(source: UnsettledSource): readonly UnsettledCharge[] {
    try {
      return source.unsettled();
    } catch (error) {
      this.logger.warn({ err: error }, 'charges of a session could not be counted');
      return [];
    }
  }

  private async store(charges: readonly UnsettledCharge[]): Promise<void> {
    if (charges.length === 0) return;
    try {
      await this.pool.query(writing, [asJson(charges)]);
    } catch (error) {
      this.logger.warn({ err: error }, 'charges of running responses could not be written');
    }
  }
}

const asJson = (charges: readonly UnsettledCharge[]): string =>
  `[${charges.map(({ requestId, due }) => `{"id":${JSON.stringify(requestId)},"due":${due ?? 'null'}}`).join(',')}]`;

/** Rows that are being settled are skipped: waiting for them could be a deadlock. */
const writing = `
  UPDATE reservations r SET due = x.due
    FROM json_to_recordset($1::json) AS x(id text, due jsonb)
    JOIN (SELECT request_id FROM reservations
           WHERE request_id IN (SELECT id FROM json_to_recordset($1::json) AS y(id text)) AND swept_at IS NULL
           FOR NO KEY UPDATE SKIP LOCKED) l ON l.request_id = x.id
    WHERE r.request_id = l.request_id AND r.due IS DISTINCT FROM x.due`;
