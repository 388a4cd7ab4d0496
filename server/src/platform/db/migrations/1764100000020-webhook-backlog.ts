import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Bounds what an endpoint that fails costs: deliveries are claimed by indexes, and at most 10,000 of an endpoint wait. A
 * delivery has the reason of its failure as a code, and the previous secret of an endpoint signs for a while.
 */
export class WebhookBacklog1764100000020 implements MigrationInterface {
  name = 'WebhookBacklog1764100000020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhook_endpoints
        ADD COLUMN previous_secret_sealed text,
        -- Until then, messages are signed with the previous secret, too.
        ADD COLUMN previous_secret_until timestamptz;

      ALTER TABLE webhook_deliveries
        -- A node sends it, at the longest until due_at.
        ADD COLUMN running boolean NOT NULL DEFAULT false,
        -- Why the last attempt failed, or there was none. Null: it did not fail.
        ADD COLUMN failure text CHECK (failure IN
          ('status', 'timeout', 'unreachable', 'refused', 'too_large', 'switched_off', 'backlog', 'internal'));
      UPDATE webhook_deliveries SET failure = CASE
        WHEN status IS NOT NULL THEN 'status'
        WHEN error = 'The endpoint was switched off' THEN 'switched_off'
        WHEN error = 'The address did not respond in time' THEN 'timeout'
        WHEN error = 'The address cannot be reached' THEN 'unreachable'
        WHEN error = 'The response is too large' THEN 'too_large'
        ELSE 'refused' END
       WHERE error <> '';
      ALTER TABLE webhook_deliveries DROP COLUMN error;

      -- The queue of first attempts, which keep their order, and the deliveries that later ones may overtake.
      CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (endpoint_id, id) WHERE state = 'pending' AND tries < 3;
      CREATE INDEX webhook_deliveries_overtaken ON webhook_deliveries (endpoint_id, due_at) WHERE state = 'pending' AND tries >= 3;

      -- Writes an event in the caller's transaction, and a delivery for each endpoint that wants it. A delivery that has no
      -- place in the queue of its endpoint has failed; it can be sent again by hand.
      CREATE OR REPLACE FUNCTION site_event(p_kind text, p_data jsonb) RETURNS bigint LANGUAGE sql AS $$
        WITH event AS (INSERT INTO site_events (kind, data) VALUES (p_kind, p_data) RETURNING id),
        deliveries AS (
          INSERT INTO webhook_deliveries (endpoint_id, event_id, state, failure)
          SELECT e.id, event.id, CASE WHEN queue.is_full THEN 'failed' ELSE 'pending' END,
                 CASE WHEN queue.is_full THEN 'backlog' END
            FROM event, webhook_endpoints e,
                 LATERAL (SELECT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.state = 'pending'
                                         OFFSET 9999) AS is_full) queue
           WHERE e.enabled AND (e.kinds = '{}' OR p_kind = ANY (e.kinds)))
        SELECT id FROM event
      $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION site_event(p_kind text, p_data jsonb) RETURNS bigint LANGUAGE sql AS $$
        WITH event AS (INSERT INTO site_events (kind, data) VALUES (p_kind, p_data) RETURNING id),
        deliveries AS (
          INSERT INTO webhook_deliveries (endpoint_id, event_id)
          SELECT e.id, event.id FROM event, webhook_endpoints e
           WHERE e.enabled AND (e.kinds = '{}' OR p_kind = ANY (e.kinds)))
        SELECT id FROM event
      $$;
      DROP INDEX webhook_deliveries_overtaken, webhook_deliveries_in_order;
      ALTER TABLE webhook_deliveries ADD COLUMN error text NOT NULL DEFAULT '';
      UPDATE webhook_deliveries SET error = failure WHERE failure IS NOT NULL;
      ALTER TABLE webhook_deliveries DROP COLUMN failure, DROP COLUMN running;
      ALTER TABLE webhook_endpoints DROP COLUMN previous_secret_until, DROP COLUMN previous_secret_sealed;
    `);
  }
}
