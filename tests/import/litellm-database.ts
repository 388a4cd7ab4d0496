import pg from 'pg';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';

/** A call of LiteLLM's log. */
export interface LiteLlmCall {
  readonly model: string;
  /** USD that LiteLLM charged, computed by hand. */
  readonly spend: number;
  readonly prompt: number;
  readonly completion: number;
  readonly usage?: object;
  readonly more?: Readonly<Record<string, unknown>>;
}

export const million = (sum: number): number => sum / 1_000_000;

/** Makes the database of a LiteLLM proxy with one user, one key and calls. */
export async function createLiteLlmDatabase(calls: readonly LiteLlmCall[]): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  // schema.prisma of LiteLLM, in November 2026, without columns that are not read.
  await client.query(`
    CREATE TABLE "LiteLLM_UserTable" (user_id text PRIMARY KEY, spend double precision, max_budget double precision, created_at timestamp(3));
    CREATE TABLE "LiteLLM_VerificationToken" (token text PRIMARY KEY, key_alias text, spend double precision, models text[], user_id text,
      team_id text, max_budget double precision, created_at timestamp(3));
    CREATE TABLE "LiteLLM_SpendLogs" (request_id text PRIMARY KEY, call_type text, api_key text, spend double precision NOT NULL DEFAULT 0,
      total_tokens int, prompt_tokens int, completion_tokens int, "startTime" timestamp(3), "endTime" timestamp(3), model text, model_group text,
      custom_llm_provider text, "user" text, metadata jsonb DEFAULT '{}', cache_hit text, messages jsonb, response jsonb, status text);
    INSERT INTO "LiteLLM_UserTable" VALUES ('alice', 2.5, 10, '2025-01-01');
    INSERT INTO "LiteLLM_VerificationToken" VALUES ('k1', 'laptop', 1, '{}', 'alice', NULL, 4, '2025-01-03')`);
  for (const [index, { model, spend, prompt, completion, usage = {}, more = {} }] of calls.entries()) {
    await client.query(
      `INSERT INTO "LiteLLM_SpendLogs" (request_id, call_type, api_key, spend, prompt_tokens, completion_tokens, "startTime", "endTime", model,
         model_group, metadata, cache_hit, status, messages)
       VALUES ($1, 'acompletion', 'k1', $2, $3, $4, $5, $5, $6, $7, $8, $9, $10, '[{"role":"user","content":"secret"}]')`,
      [
        `call-${index}`,
        spend,
        prompt,
        completion,
        new Date(Date.UTC(2026, 10, 1, 0, index)),
        `provider/${model}`,
        model,
        JSON.stringify({ usage_object: usage }),
        more['cache_hit'] ?? 'None',
        more['status'] ?? 'success',
      ],
    );
  }
  await client.end();
  return database;
}
