import { randomBytes } from 'node:crypto';
import { openTarget } from '../../server/src/import/write/target.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { makeContent } from '../support/import/content.js';
import type { Family } from '../support/import/schemas.js';
import { createSource, type TestSource } from '../support/import/source.js';
import { startServer } from '../support/server.js';
import { move, now, optionsFor, stateOf } from './suite.js';

const upstream = 'http://127.0.0.1:9';
/** SQL of values that SQLite stores in any column. */
const oddValues = [
  ...['NULL', `''`, `'text'`, `' 7 '`, '-1', '1.5', '1e308', '2147483648'],
  ...['9007199254740000', '9223372036854775807', '-9223372036854775808'],
  // These are milliseconds in place of seconds, and a time that no clock reaches.
  ...['1795471320000', '9999999999999'],
  ...[`'0001-01-01 00:00:00+00:00'`, `'9999-12-31 23:59:59.999999999+14:00'`],
  ...[`'{"a": "\\u0000", "cache_tokens": 9007199254740000, "frt": 1e300}'`, `'[[['`],
  ...[`x'00ff80'`, `'😀' || char(0) || 'x'`, 'hex(randomblob(6000))'],
];
/** Columns that must differ between rows, so that the test tries the odd value of another column. */
const unique = new Set(['username', 'key', 'aff_code', 'access_token', 'trade_no', 'credential_id']);
const accounts = new Set(['email', 'github_id', 'wechat_id', 'oidc_id', 'telegram_id', 'linux_do_id']);

it.each<Family>(['one-api', 'veloera', 'new-api'])(
  '%s: no odd value in any column of any table stops the move, and the ledger stays consistent',
  async (family) => {
    const content = makeContent({ family, upstream, now, logs: 50 });
    const source = await createSource(family, 'sqlite', content);
    for (const [table, rows] of content.tables) await addOddRows(source, table, rows.at(-1) ?? {});
    const database = await createTestDatabase();
    const options = optionsFor(source.address, {
      decisions: { dropTwoFactor: false, acceptPriceDifferences: true, plans: 'balance', withContent: false },
    });
    const report = await move(database, options);
    expect(report.proof?.drifts).toEqual([]);
    const before = await stateOf(database);
    const second = await move(database, { ...options, now: now + 3600 });
    expect(second.tables.map(({ table, moved, changed }) => [table, moved + changed])).toEqual(
      second.tables.map(({ table }) => [table, 0]),
    );
    expect(await stateOf(database)).toEqual(before);
    expect(await failuresOfLists(database)).toEqual([]);
    await database.drop();
    await source.drop();
  },
);

/** Fields that each list of the console reads, beside those that are texts or flags. */
const lists: Readonly<Record<string, string>> = {
  users: 'id role status quota usedQuota requestCount createdAt lastCheckInAt invite { count quota totalQuota }',
  tokens: 'id status createdAt lastUsedAt expiresAt quota { remaining used } rateLimit { calls }',
  channels: 'id status weight priority usedQuota createdAt balance { amount at } lastTest { milliseconds at }',
  redemptions: 'id status quota maxUses usedCount createdAt validFrom validUntil uses { items { quota at } }',
  topUps: 'id method status quota usd createdAt paidAt money { amount }',
  drawings: 'id action status progress quota submittedAt startedAt finishedAt',
  creativeTasks: 'id action status progress quota submittedAt startedAt finishedAt',
  logs: 'id at type quota promptTokens completionTokens cachedTokens reasoningTokens seconds durationMs timeToFirstTokenMs attemptIds',
};

/** Reads every page of every list as root. @returns the list and the error of each page that cannot be read */
async function failuresOfLists(database: TestDatabase): Promise<string[]> {
  const server = await startServer({ database });
  await server.dataSource.query(
    "UPDATE users SET username = 'owner', password_hash = (SELECT password_hash FROM users WHERE username = 'user02') WHERE id = 1",
  );
  const owner = await server.api.signIn('owner', 'password of user02');
  const failures: string[] = [];
  for (const [list, fields] of Object.entries(lists)) {
    for (let after: string | null = null, more = true; more;) {
      const query = `query ($after: String) { ${list}(pageSize: 100, after: $after) { items { ${fields} } pageInfo { endCursor hasNextPage } } }`;
      const { body } = await server.api.rest(owner, 'POST', '/graphql', { query, variables: { after } });
      const { data, errors } = body as {
        data: Record<string, { pageInfo: { endCursor: string; hasNextPage: boolean } } | null> | null;
        errors?: unknown;
      };
      if (errors) failures.push(`${list} ${JSON.stringify(errors)}`);
      ({ endCursor: after, hasNextPage: more } = data?.[list]?.pageInfo ?? { endCursor: null, hasNextPage: false });
    }
  }
  await server.stop();
  return failures;
}

/** Adds copies of a row, each with one odd value. */
async function addOddRows(source: TestSource, table: string, row: Readonly<Record<string, unknown>>): Promise<void> {
  const columns = Object.keys(row).filter((name) => name !== 'id');
  const names = columns.map((name) => `"${name}"`).join(', ');
  let id = 10_000;
  for (const column of columns) {
    for (const odd of oddValues) {
      id++;
      const values = columns.map((name) => {
        if (name === column) return odd;
        if (unique.has(name)) return `'odd${table}${id}'`;
        return accounts.has(name) ? `''` : `"${name}"`;
      });
      await source.execute(
        'id' in row
          ? `INSERT INTO "${table}" (id, ${names}) SELECT ${id}, ${values.join(', ')} FROM "${table}" WHERE id = ${Number(row['id'])}`
          : `INSERT INTO "${table}" (${names}) SELECT ${values.join(', ')} FROM "${table}" LIMIT 1`,
      );
    }
  }
}

it('cuts messages of log rows that are longer than an index takes, and says so', async () => {
  const source = await createSource('new-api', 'sqlite', makeContent({ family: 'new-api', upstream, now, logs: 50 }));
  // new-api stores the whole error page of a provider.
  const page = `status_code=502, ${randomBytes(9000).toString('base64')}`;
  await source.execute(
    `INSERT INTO logs (id, user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens,
       completion_tokens, channel_id, token_id, "group", other) SELECT 51, user_id, created_at, 5, '${page}', username, token_name, 'gpt-4o', 0,
       0, 0, channel_id, token_id, "group", '' FROM logs WHERE id = 1`,
  );
  const database = await createTestDatabase();
  const report = await move(database, optionsFor(source.address));
  expect(report.findings).toContainEqual(expect.objectContaining({ code: 'log-cut', severity: 'changed', count: 1 }));
  const target = await openTarget(database.url);
  const [row] = await target.query<{ content: string }>(
    `SELECT content FROM logs WHERE content LIKE 'status_code=502%'`,
  );
  expect(page.startsWith(row?.content ?? '-')).toBe(true);
  expect(row?.content).toHaveLength(2500);
  await target.close();
  await database.drop();
  await source.drop();
});
