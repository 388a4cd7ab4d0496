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
/** Sessions of one write, whose charges are computed without a pause. The others follow in the next write. */
const sourcesOfWrite = 100;

/**
 * Writes down what running responses have produced, so that another server, or the next process, charges it if this
 * process is killed. One statement for all sessions of a node, ten times a second at most; none while nothing changes.
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

  /** Never throws: the next change writes again, and without a write only what a killed process knew is lost. */
  private async write(): Promise<void> {
    const sources = [...this.changed].slice(0, sourcesOfWrite);
    for (const source of sources) this.changed.delete(source);
    const charges = sources.flatMap((source) => source.unsettled());
    const startedAt = performance.now();
    try {
      if (charges.length > 0) await this.pool.query(writing, [asJson(charges)]);
    } catch (error) {
      this.logger.warn({ err: error }, 'charges of running responses could not be written');
    }
    const pause = Math.max(leastPause, (performance.now() - startedAt) * pauseOfDuration);
    this.timer = this.changed.size > 0 ? setTimeout(() => void this.write(), pause) : null;
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
