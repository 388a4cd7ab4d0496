import type { DataSource } from 'typeorm';
import type { Found } from './alert-conditions.js';
import type { AlertTarget } from './alert-targets.js';
import type { Alert, AlertKind } from './alert.entity.js';

/** A message that is due to be sent. */
export interface DueMessage extends Pick<Alert, 'kind' | 'channelId' | 'facts'> {
  readonly id: number;
  readonly target: AlertTarget;
  /** Attempts so far, including this one. */
  readonly tries: number;
}

/** Minutes. A condition that returns within this time is shown again, but not sent again. */
const quietMinutes = 60;
const keptDays = 90;
/** Seconds. The lease is longer than an attempt takes: a message claimed for longer belongs to a dead node. */
const leaseSeconds = 60;

const openSql = `
  WITH found AS (SELECT * FROM unnest($2::integer[], $3::jsonb[]) AS f (channel_id, facts)),
  opened AS (
    INSERT INTO alerts (kind, channel_id, facts)
      SELECT $1, channel_id, facts FROM found
      ON CONFLICT (kind, channel_id) WHERE ended_at IS NULL DO NOTHING
      RETURNING id, channel_id),
  messages AS (
    INSERT INTO alert_messages (alert_id, target)
      SELECT o.id, target FROM opened o CROSS JOIN unnest($4::text[]) AS target
       WHERE NOT EXISTS (SELECT 1 FROM alerts before
                          WHERE before.kind = $1 AND before.channel_id IS NOT DISTINCT FROM o.channel_id
                            AND before.ended_at > now() - ${quietMinutes} * interval '1 minute'))
  SELECT id FROM opened`;
/** An open alert shows the latest figures. */
const updateSql = `
  UPDATE alerts a SET facts = f.facts
    FROM unnest($2::integer[], $3::jsonb[]) AS f (channel_id, facts)
   WHERE a.kind = $1 AND a.channel_id IS NOT DISTINCT FROM f.channel_id AND a.ended_at IS NULL AND a.facts <> f.facts`;
const endSql = `
  UPDATE alerts a SET ended_at = now() WHERE kind = $1 AND ended_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM unnest($2::integer[]) AS f (channel_id) WHERE f.channel_id IS NOT DISTINCT FROM a.channel_id)`;
const claimSql = `
  WITH due AS (SELECT id FROM alert_messages WHERE due_at <= now() ORDER BY due_at, id LIMIT 20 FOR UPDATE SKIP LOCKED),
  claimed AS (
    UPDATE alert_messages m SET tries = m.tries + 1, due_at = now() + ${leaseSeconds} * interval '1 second'
      FROM due WHERE m.id = due.id RETURNING m.id, m.alert_id, m.target, m.tries)
  SELECT c.id, c.target, c.tries, a.kind, a.channel_id AS "channelId", a.facts
    FROM claimed c JOIN alerts a ON a.id = c.alert_id ORDER BY c.id`;
const settleSql = `
  UPDATE alert_messages SET error = $2, due_at = now() + $3 * interval '1 second' WHERE id = $1`;

/** Reads and writes alerts and their messages. */
export class AlertStore {
  constructor(private readonly database: Pick<DataSource, 'query'>) {}

  /**
   * Opens alerts for new subjects, updates open ones, and ends alerts whose subjects were not found again.
   * @param targets get a message about each opened alert
   * @returns the number of opened alerts
   */
  async apply(kind: AlertKind, found: Found, targets: readonly AlertTarget[]): Promise<number> {
    const ids = [...found.keys()];
    if (ids.length > 0) {
      const facts = [...found.values()].map((one) => JSON.stringify(one));
      await this.database.query(updateSql, [kind, ids, facts]);
      const opened = await this.database.query<unknown[]>(openSql, [kind, ids, facts, targets]);
      await this.database.query(endSql, [kind, ids]);
      return opened.length;
    }
    await this.database.query(endSql, [kind, ids]);
    return 0;
  }

  /** Claims messages to send now. Each is given to one caller. */
  claim(): Promise<DueMessage[]> {
    return this.database.query<DueMessage[]>(claimSql);
  }

  /** @param pause seconds until the next attempt; null when there is none */
  async settle(id: number, error: string, pause: number | null): Promise<void> {
    await this.database.query(settleSql, [id, error.slice(0, 500), pause]);
  }

  /** Deletes alerts that ended long ago. */
  async trim(): Promise<void> {
    await this.database.query(`DELETE FROM alerts WHERE ended_at < now() - ${keptDays} * interval '1 day'`);
  }

  /**
   * Whether a periodic check is due. If so, it is due again in an hour, unless `noteChecked` starts the next period: a
   * check may fail, and its node may die. The first call only starts the period.
   */
  async isDue(name: string, hours: number): Promise<boolean> {
    const [known] = await this.database.query<unknown[]>(
      'INSERT INTO alert_checks (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING name',
      [name],
    );
    if (known) return false;
    // An UPDATE returns its rows and their count.
    const [rows] = await this.database.query<[unknown[], number]>(
      `UPDATE alert_checks SET at = now() - make_interval(hours => $2) + interval '1 hour'
        WHERE name = $1 AND at <= now() - make_interval(hours => $2) RETURNING name`,
      [name, hours],
    );
    return rows.length > 0;
  }

  /** Records that a periodic check has ended. Its next one is due when the period has passed. */
  async noteChecked(name: string): Promise<void> {
    await this.database.query('UPDATE alert_checks SET at = now() WHERE name = $1', [name]);
  }
}
