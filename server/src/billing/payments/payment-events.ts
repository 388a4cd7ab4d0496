import type { Queries } from '../../platform/db/queries.js';
import type { ProviderEvent } from './provider.js';

/** An event that a provider sent, as stored. */
export interface StoredEvent {
  readonly id: string;
  readonly provider: string;
  readonly body: string;
  readonly receivedAt: Date;
}

/** Stores an event before anything is done about it. An event that was stored before keeps its row. */
export async function storeEvent(
  database: Queries,
  provider: string,
  { id, body }: ProviderEvent,
  receivedAt: Date,
): Promise<StoredEvent> {
  await database.query(
    `INSERT INTO payment_events (provider, event_id, received_at, body) VALUES ($1, $2, $3, $4)
     ON CONFLICT (provider, event_id) DO NOTHING`,
    [provider, id, receivedAt, body],
  );
  const [stored] = (await database.query(
    `SELECT ${columns} FROM payment_events WHERE provider = $1 AND event_id = $2`,
    [provider, id],
  )) as [StoredEvent];
  return stored;
}

/** @param refusal why the event changed nothing; empty if it was accepted */
export async function finishEvent(database: Queries, id: string, at: Date, refusal: string): Promise<void> {
  await database.query('UPDATE payment_events SET processed_at = $2, refusal = $3 WHERE id = $1', [id, at, refusal]);
}

/**
 * Returns events that were received before `before` and not processed, and sets when they are due again: after an eighth
 * of their age, because events of orders of another site stay open for days, and must not delay the others.
 */
export async function openEvents(database: Queries, now: Date, before: Date, most: number): Promise<StoredEvent[]> {
  const [rows] = (await database.query(
    `UPDATE payment_events SET next_try_at = $1::timestamptz + greatest(interval '1 minute', ($1 - received_at) / 8)
      WHERE id IN (SELECT id FROM payment_events
                    WHERE processed_at IS NULL AND received_at < $2 AND (next_try_at IS NULL OR next_try_at <= $1)
                    ORDER BY next_try_at NULLS FIRST, id LIMIT $3)
     RETURNING ${columns}`,
    [now, before, most],
  )) as [StoredEvent[], number];
  return rows.sort((left, right) => Number(left.id) - Number(right.id));
}

const columns = 'id, provider, body, received_at AS "receivedAt"';
