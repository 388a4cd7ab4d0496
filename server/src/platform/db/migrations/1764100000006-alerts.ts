import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Alerts of the site and its channels, and their messages. */
export class Alerts1764100000006 implements MigrationInterface {
  name = 'Alerts1764100000006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE alerts (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        kind text NOT NULL,
        -- Null: the site.
        channel_id integer,
        facts jsonb NOT NULL,
        opened_at timestamptz NOT NULL DEFAULT now(),
        -- Null while the condition holds.
        ended_at timestamptz
      );
      -- A condition has one open alert.
      CREATE UNIQUE INDEX alerts_open ON alerts (kind, channel_id) NULLS NOT DISTINCT WHERE ended_at IS NULL;
      CREATE INDEX alerts_ended_at ON alerts (kind, channel_id, ended_at);

      CREATE TABLE alert_messages (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        alert_id integer NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
        target text NOT NULL,
        tries smallint NOT NULL DEFAULT 0,
        -- Earliest time of the next attempt; null: sent or given up.
        due_at timestamptz DEFAULT now(),
        -- Why the last attempt failed; empty: it did not.
        error text NOT NULL DEFAULT ''
      );
      CREATE INDEX alert_messages_due_at ON alert_messages (due_at) WHERE due_at IS NOT NULL;
      CREATE INDEX alert_messages_alert_id ON alert_messages (alert_id);

      -- Alerts up to this one were seen by the user.
      CREATE TABLE alert_readers (
        user_id integer PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
        alert_id integer NOT NULL
      );

      -- When the ledger was verified last.
      CREATE TABLE alert_checks (
        name text PRIMARY KEY,
        at timestamptz NOT NULL DEFAULT now()
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE alert_checks, alert_readers, alert_messages, alerts');
  }
}
