import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Fields of a key whose change is an event, with their names in it. Charges change none of them. */
const keyColumns = [
  ['name', 'name'],
  ['status', 'status'],
  ['expires_at', 'expires_at'],
  ['unlimited_quota', 'unlimited_quota'],
  ['model_limits_enabled', 'models'],
  ['model_limits', 'models'],
  ['allow_ips', 'allow_ips'],
  ['"group"', 'group'],
  ['scopes', 'scopes'],
  ['rate_limit_enabled', 'rate_limit'],
  ['rate_limit_period', 'rate_limit'],
  ['rate_limit_calls', 'rate_limit'],
  ['rate_limit_successes', 'rate_limit'],
  ['fallback_groups', 'fallback_groups'],
  ['fallback_models', 'fallback_models'],
  ['key_hash', 'key'],
  ['previous_key_hash', 'previous_key'],
] as const;
const isChanged = keyColumns.map(([column]) => `OLD.${column} IS DISTINCT FROM NEW.${column}`);
const changed = keyColumns.map(([, name], n) => `CASE WHEN ${isChanged[n]} THEN '${name}' END`);

/**
 * Events of the site for the systems of its operator, and where they are sent. Triggers write the events of users and keys:
 * these rows are changed in many places, and each change must have its event in its own transaction.
 */
export class Webhooks1764100000012 implements MigrationInterface {
  name = 'Webhooks1764100000012';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE site_events (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        -- The id that receivers see.
        name text NOT NULL UNIQUE DEFAULT 'evt_' || replace(gen_random_uuid()::text, '-', ''),
        kind text NOT NULL,
        data jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
      );
      CREATE INDEX site_events_created_at ON site_events (created_at);

      CREATE TABLE webhook_endpoints (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text NOT NULL,
        url text NOT NULL,
        secret_sealed text NOT NULL,
        previous_secret_sealed text,
        -- Until then, messages are signed with the previous secret, too.
        previous_secret_until timestamptz,
        -- Empty: all kinds of events.
        kinds text[] NOT NULL DEFAULT '{}',
        enabled boolean NOT NULL DEFAULT true,
        created_at timestamptz NOT NULL DEFAULT now(),
        -- Since when every attempt failed. Null: the last one succeeded.
        failing_since timestamptz,
        -- When the server switched it off because it failed. Null: it did not.
        switched_off_at timestamptz
      );

      CREATE TABLE webhook_deliveries (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        endpoint_id integer NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
        event_id bigint NOT NULL REFERENCES site_events ON DELETE CASCADE,
        state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
        tries integer NOT NULL DEFAULT 0,
        -- A node sends it, at the longest until due_at.
        running boolean NOT NULL DEFAULT false,
        -- Of a pending one: the next attempt, or the end of the lease of the running one.
        due_at timestamptz NOT NULL DEFAULT now(),
        -- The last attempt.
        tried_at timestamptz,
        duration_ms integer,
        -- Null: no response came.
        status integer,
        -- The beginning of the response.
        response text NOT NULL DEFAULT '',
        -- Why the last attempt failed, or there was none. Null: it did not fail.
        failure text CHECK (failure IN
          ('status', 'timeout', 'unreachable', 'refused', 'too_large', 'switched_off', 'backlog', 'internal'))
      );
      CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (endpoint_id, id) WHERE state = 'pending';
      CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint_id, id DESC);
      -- The queue of first attempts, which keep their order, and the deliveries that later ones may overtake.
      CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (endpoint_id, id) WHERE state = 'pending' AND tries < 3;
      CREATE INDEX webhook_deliveries_overtaken ON webhook_deliveries (endpoint_id, due_at) WHERE state = 'pending' AND tries >= 3;
      CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id);

      -- The last time that a low balance of a user was an event.
      CREATE TABLE low_balance_events (
        user_id integer PRIMARY KEY REFERENCES users ON DELETE CASCADE,
        at timestamptz NOT NULL
      );

      -- Writes an event in the caller's transaction, and a delivery for each endpoint that wants it. A delivery that has no
      -- place in the queue of its endpoint has failed; it can be sent again by hand.
      CREATE FUNCTION site_event(p_kind text, p_data jsonb) RETURNS bigint LANGUAGE sql AS $$
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

      -- A user as events show them.
      CREATE FUNCTION event_user(u users) RETURNS jsonb LANGUAGE sql STABLE AS $$
        SELECT jsonb_build_object('id', u.id, 'username', u.username, 'external_id', u.external_id)
      $$;

      CREATE FUNCTION user_event() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        one users := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
        kind text := 'user.created';
      BEGIN
        -- An import creates the users of another site, which are not new.
        IF current_setting('tollgate.events', true) = 'off' THEN RETURN NULL; END IF;
        IF TG_OP = 'DELETE' THEN
          IF OLD.deleted_at IS NOT NULL THEN RETURN NULL; END IF;
          kind := 'user.deleted';
        ELSIF TG_OP = 'UPDATE' THEN
          kind := CASE WHEN NEW.deleted_at IS DISTINCT FROM OLD.deleted_at
                       THEN CASE WHEN NEW.deleted_at IS NULL THEN 'user.enabled' ELSE 'user.deleted' END
                       ELSE CASE NEW.status WHEN 'enabled' THEN 'user.enabled' ELSE 'user.disabled' END END;
        END IF;
        PERFORM site_event(kind, jsonb_build_object('user', event_user(one) || jsonb_build_object('kind', one.kind, 'email', one.email, 'group', one."group")));
        RETURN NULL;
      END $$;
      CREATE TRIGGER users_created AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION user_event();
      CREATE TRIGGER users_deleted AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION user_event();
      CREATE TRIGGER users_changed AFTER UPDATE OF status, deleted_at ON users FOR EACH ROW
        WHEN (OLD.status <> NEW.status OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at) EXECUTE FUNCTION user_event();

      CREATE FUNCTION key_event() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        one tokens := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
        kind text := 'key.created';
        changes jsonb := '{}';
      BEGIN
        IF current_setting('tollgate.events', true) = 'off' THEN RETURN NULL; END IF;
        IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) THEN
          IF OLD.deleted_at IS NOT NULL THEN RETURN NULL; END IF;
          kind := 'key.revoked';
        ELSIF TG_OP = 'UPDATE' THEN
          -- It was revoked before.
          IF NEW.deleted_at IS NOT NULL THEN RETURN NULL; END IF;
          kind := 'key.changed';
          changes := jsonb_build_object('changed', (SELECT jsonb_agg(DISTINCT name)
            FROM unnest(ARRAY[${changed.join(', ')}]) AS name WHERE name IS NOT NULL));
        END IF;
        PERFORM site_event(kind, jsonb_build_object(
          -- The owner is gone when their keys go with them.
          'user', coalesce((SELECT event_user(u) FROM users u WHERE u.id = one.user_id),
                           jsonb_build_object('id', one.user_id, 'username', NULL, 'external_id', NULL)),
          'key', jsonb_build_object('id', one.id, 'name', one.name, 'status', one.status, 'group', one."group",
                                    'expires_at', to_char(one.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'unlimited_quota', one.unlimited_quota,
                                    'models', CASE WHEN one.model_limits_enabled THEN to_jsonb(one.model_limits) END,
                                    'scopes', one.scopes)) || changes);
        RETURN NULL;
      END $$;
      CREATE TRIGGER tokens_created AFTER INSERT ON tokens FOR EACH ROW EXECUTE FUNCTION key_event();
      CREATE TRIGGER tokens_deleted AFTER DELETE ON tokens FOR EACH ROW EXECUTE FUNCTION key_event();
      CREATE TRIGGER tokens_changed AFTER UPDATE OF deleted_at, ${keyColumns.map(([column]) => column).join(', ')} ON tokens
        FOR EACH ROW WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at OR ${isChanged.join(' OR ')})
        EXECUTE FUNCTION key_event();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER tokens_changed ON tokens;
      DROP TRIGGER tokens_deleted ON tokens;
      DROP TRIGGER tokens_created ON tokens;
      DROP TRIGGER users_changed ON users;
      DROP TRIGGER users_deleted ON users;
      DROP TRIGGER users_created ON users;
      DROP FUNCTION key_event(), user_event(), event_user(users), site_event(text, jsonb);
      DROP TABLE low_balance_events, webhook_deliveries, webhook_endpoints, site_events;
    `);
  }
}
