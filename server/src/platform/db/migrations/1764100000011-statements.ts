import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Monthly statements of accounts, and what they have counted. */
export class Statements1764100000011 implements MigrationInterface {
  name = 'Statements1764100000011';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Usage that is in statements, or in the opening balance of the first one.
      CREATE TABLE statement_usage (
        account_id integer NOT NULL,
        token_id integer NOT NULL,
        model_name text NOT NULL,
        calls bigint NOT NULL,
        prompt_tokens bigint NOT NULL,
        completion_tokens bigint NOT NULL,
        quota bigint NOT NULL,
        PRIMARY KEY (account_id, token_id, model_name)
      );

      -- The part of it that plans paid.
      CREATE TABLE statement_plan_usage (
        account_id integer PRIMARY KEY,
        calls bigint NOT NULL,
        quota bigint NOT NULL
      );

      -- The months that were closed or are being closed. The borders are those of the time zone of that time.
      CREATE TABLE statement_months (
        month text PRIMARY KEY CHECK (month ~ '^\\d{4}-\\d{2}$'),
        starts_at timestamptz NOT NULL,
        ends_at timestamptz NOT NULL CHECK (ends_at > starts_at),
        time_zone text NOT NULL,
        -- Accounts up to this id have their statements.
        last_account integer NOT NULL DEFAULT 0,
        -- Null: accounts are left.
        closed_at timestamptz
      );

      CREATE TABLE statements (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        account_id integer NOT NULL,
        month text NOT NULL REFERENCES statement_months,
        -- The year of the month. Numbers of a year begin at 1 and have no gaps.
        year smallint NOT NULL CHECK (month LIKE year || '-%'),
        number integer NOT NULL CHECK (number > 0),
        closed_at timestamptz NOT NULL,
        opening bigint NOT NULL,
        credits bigint NOT NULL,
        usage bigint NOT NULL,
        closing bigint NOT NULL,
        -- What the statement says, as it was closed (StatementContent).
        content jsonb NOT NULL,
        UNIQUE (account_id, month),
        UNIQUE (year, number),
        CONSTRAINT statements_sum CHECK (closing = opening + credits - usage),
        CONSTRAINT statements_content CHECK (
          jsonb_typeof(content) = 'object' AND content ?& ARRAY['seller', 'buyer', 'credits', 'payments', 'usage', 'quotaPerUnit']
          AND jsonb_typeof(content -> 'seller') = 'object' AND jsonb_typeof(content -> 'buyer') = 'object'
          AND jsonb_typeof(content -> 'credits') = 'array' AND jsonb_typeof(content -> 'payments') = 'array'
          AND jsonb_typeof(content -> 'usage') = 'array' AND jsonb_typeof(content -> 'quotaPerUnit') = 'number')
      );
      CREATE INDEX statements_month ON statements (month, id);

      -- A statement that was closed is a document: it is neither changed nor removed.
      CREATE FUNCTION statements_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'closed statements cannot be changed' USING ERRCODE = 'restrict_violation';
      END $$;
      CREATE TRIGGER statements_immutable BEFORE UPDATE OR DELETE ON statements
        FOR EACH ROW EXECUTE FUNCTION statements_refuse_change();

      -- What an account wants to read on its statements.
      CREATE TABLE billing_profiles (
        account_id integer PRIMARY KEY,
        name text NOT NULL DEFAULT '',
        address text NOT NULL DEFAULT '',
        tax_id text NOT NULL DEFAULT '',
        -- A notice is sent when a statement is closed.
        notifies boolean NOT NULL DEFAULT false
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE billing_profiles, statements, statement_months, statement_plan_usage, statement_usage;
      DROP FUNCTION statements_refuse_change;
    `);
  }
}
