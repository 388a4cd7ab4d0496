import { Secrets } from '../../server/src/shared/secrets.js';
import { testEncryptionKey } from '../support/server.js';
import { sampled } from '../support/suite.js';
import { Site, type Person } from './site.js';

let site: Site;
let root: Person;
let ids: Record<'channels' | 'redemptions', number[]>;

const most = 10_000;
/**
 * An encrypted key that the server can read. For each unreadable key, the server logs an error whenever it reads the
 * channels.
 */
const key = new Secrets(testEncryptionKey).seal('sk-of-all');

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
});
afterAll(() => site.stop());
beforeEach(async () => {
  await site.query('DELETE FROM channels');
  await site.query('DELETE FROM redemptions');
  ids = {
    channels: await insert(
      `INSERT INTO channels (type, name, key_sealed, models)
       SELECT 1, 'c' || n, $2, '{gpt-4o}' FROM generate_series(1, $1::int) n RETURNING id`,
      key,
    ),
    redemptions: await insert(
      `INSERT INTO redemptions (user_id, key_hash, key_sealed, name, quota, created_at)
       SELECT 1, sha256(n::text::bytea), '', 'c', 1, to_timestamp(0) FROM generate_series(1, $1::int) n RETURNING id`,
    ),
  };
});

/** Inserts one row more than a call may name. @returns their ids */
const insert = async (sql: string, ...parameters: unknown[]): Promise<number[]> =>
  (await site.query<{ id: number }>(sql, [most + 1, ...parameters])).map(({ id }) => id);

interface Outcome {
  readonly data: unknown;
  readonly code: unknown;
  readonly text: string;
}

async function rest(method: string, path: string, body: unknown): Promise<Outcome> {
  const answer = await site.rest(root, method, path, body);
  return { data: answer.body.data, code: answer.body['code'], text: JSON.stringify(answer.body) };
}

async function graphql(field: string, variables: Record<string, unknown>): Promise<Outcome> {
  const { data, codes, text } = await site.graphql(root, `mutation ($ids: [Int!]!) { done: ${field} }`, variables);
  return { data: data?.['done'], code: codes[0], text };
}

/** Runs a mutation that reports the result of each row. `data` is the number of changed rows. */
async function bulk(field: string, given: number[]): Promise<Outcome> {
  const outcome = await graphql(
    `
      ${field}
      {
        done
      }
    `,
    { ids: given },
  );
  const { done } = (outcome.data ?? {}) as { done?: number[] };
  return { ...outcome, data: done?.length };
}

type Call = (given: number[]) => Promise<Outcome>;

const calls: ReadonlyArray<[name: string, of: keyof typeof ids, call: Call]> = [
  ['POST /api/channel/batch', 'channels', (given) => rest('POST', '/api/channel/batch', { ids: given })],
  [
    'POST /api/channel/batch/tag',
    'channels',
    (given) => rest('POST', '/api/channel/batch/tag', { ids: given, tag: 't' }),
  ],
  [
    'PUT /api/redemption/batch-disable',
    'redemptions',
    (given) => rest('PUT', '/api/redemption/batch-disable', { ids: given }),
  ],
  ['deleteChannels', 'channels', (given) => bulk('deleteChannels(ids: $ids)', given)],
  ['setChannelTag', 'channels', (given) => bulk('setChannelTag(input: { ids: $ids, tag: "t" })', given)],
  ['disableRedemptions', 'redemptions', (given) => bulk('disableRedemptions(ids: $ids)', given)],
];

const untouched = { channels: most + 1, redemptions: most + 1 };

async function countUntouched(): Promise<typeof untouched> {
  const [row] = await site.query<typeof untouched>(
    `SELECT (SELECT count(*) FROM channels WHERE tag = '')::int AS channels,
            (SELECT count(*) FROM redemptions WHERE status = 'enabled')::int AS redemptions`,
  );
  return row ?? { channels: 0, redemptions: 0 };
}

const countRecords = (): Promise<unknown[]> =>
  site.query('SELECT (SELECT count(*) FROM audit_entries) AS audit, (SELECT count(*) FROM logs) AS logs');

it.each(calls)('%s refuses a list of more than ten thousand, and changes nothing', async (_name, of, call) => {
  const before = await countRecords();
  const { code, text } = await call(ids[of]);
  expect([code, text]).toEqual(['INVALID_INPUT', expect.stringContaining('At most 10000 ids at a time')]);
  expect(await countUntouched()).toEqual(untouched);
  expect(await countRecords()).toEqual(before);
});

// REST and GraphQL have the same limits. The three tested calls of six are a deletion, a change of tags and a change of
// redemption codes.
it.each(sampled(calls, 3))('%s does what it is asked with ten thousand', async (_name, of, call) => {
  const [{ n: before } = { n: 0 }] = await countEntries();
  const { data, code } = await call(ids[of].slice(0, most));
  expect([data, code]).toEqual([most, undefined]);
  expect(await countUntouched()).toEqual({ ...untouched, [of]: 1 });
  expect(await countEntries()).toEqual([{ n: before + most }]);
});

const countEntries = (): Promise<Array<{ n: number }>> => site.query('SELECT count(*)::int AS n FROM audit_entries');
