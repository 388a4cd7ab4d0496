import { countStatements } from '../support/statements.js';
import { Site, type Person } from './site.js';

/** No list runs a statement for each row: fifty rows take as many statements as one row, whatever fields are selected. */
let site: Site;
let root: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  await site.query(
    `INSERT INTO users (username) SELECT 'u' || n FROM generate_series(1, 60) n;
     INSERT INTO users (username, kind) SELECT 'o' || n, 'organisation' FROM generate_series(1, 60) n;
     INSERT INTO channels (type, name, key_sealed, models, tag)
       SELECT 1, 'c' || n, '', '{gpt-4o}', CASE WHEN n % 2 = 0 THEN 't' || n ELSE '' END FROM generate_series(1, 60) n;
     INSERT INTO tokens (user_id, key_hash, key_prefix, key_sealed, name)
       SELECT ${root.id}, sha256(username::bytea), '', '', username FROM users;
     INSERT INTO logs (created_at, type, user_id, username, channel_id, token_id, model_name)
       SELECT extract(epoch FROM now())::bigint + id, 2, ${root.id}, username, id, id, 'm' || id FROM users;
     INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls)
       SELECT extract(epoch FROM date_trunc('hour', now()))::bigint, ${root.id}, id, id, 'm' || id, 'default', 1 FROM users;
     INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, quota, money, currency, created_at)
       SELECT ${root.id}, username, 'epay', '1', 'wxpay', 1, 1, 'CNY', to_timestamp(0) FROM users;
     INSERT INTO midjourneys (user_id, action, submit_time, channel_id, request_id, image_url, mj_id)
       SELECT ${root.id}, 'IMAGINE', now(), id, 'd' || id, 'https://pictures.example/1.png', 'd' || id FROM users;
     INSERT INTO tasks (user_id, action, platform, created_at, updated_at, submit_time, channel_id, request_id, task_id, data)
       SELECT ${root.id}, 'MUSIC', 'suno', now(), now(), now(), id, 't' || id, 't' || id, '[{"title":"x"}]' FROM users;
     INSERT INTO reservations (request_id, node_id, user_id, token_id, amount, model_name)
       SELECT 'live ' || id, (SELECT id FROM nodes LIMIT 1), id, id, 1, 'm' FROM users;
     INSERT INTO ledger_entries (source, kind, account, user_id, amount)
       SELECT 'low ' || id, 'adjustment', 'user', id, -5 FROM users;
     INSERT INTO redemptions (user_id, key_hash, key_sealed, name, quota, created_at)
       SELECT ${root.id}, sha256(('code ' || id)::bytea), '', 'batch ' || id, 1, to_timestamp(0) FROM users;
     INSERT INTO price_versions (version, tables) SELECT 'v' || id, '{"ModelPrice":{},"ModelRatio":{},"CompletionRatio":{},"CacheRatio":{},"GroupRatio":{},"QuotaPerUnit":500000}'
       FROM users;
     INSERT INTO budgets (level, subject_id, kind, amount, span, created_by, by_admin)
       SELECT 'user', id, 'requests', 1, 'day', ${root.id}, true FROM users;
     INSERT INTO plans (name, price, period_unit, period_count, windows, overflow)
       VALUES ('Plan', 1, 'day', 1, '[]', 'stop');
     INSERT INTO subscriptions (account_id, plan_id, terms, state, starts_at, ends_at, origin, paid, receipt)
       SELECT u.id, p.id, jsonb_build_object('name', p.name, 'description', '', 'price', 1, 'periodUnit', 'day', 'periodCount', 1,
              'windows', '[]'::jsonb, 'groups', '[]'::jsonb, 'models', '[]'::jsonb, 'overflow', 'stop', 'overflowRatio', 1,
              'position', 0), 'active', now(), now() + interval '1 day', 'grant', 0, '{"price":1,"credit":0,"formula":""}'
         FROM users u, plans p;
     INSERT INTO subscription_use (subscription_id, account_id) SELECT id, account_id FROM subscriptions;
     INSERT INTO dashboards (owner_id, name, visibility, panels)
       SELECT id, 'd' || id, 'shared', '[{"title":"x","kind":"table","size":"small","query":"{ notice }","variables":{}}]'
       FROM users;
     INSERT INTO webhook_endpoints (name, url, secret_sealed) VALUES ('one', 'https://hooks.example.com', '');
     INSERT INTO site_events (kind, data) SELECT 'user.created', '{}' FROM users;
     INSERT INTO webhook_deliveries (endpoint_id, event_id, state)
       SELECT w.id, e.id, 'delivered' FROM webhook_endpoints w, site_events e;
     INSERT INTO alerts (kind, channel_id, facts) SELECT 'ERROR_RATE', id, '{}' FROM users;
     INSERT INTO alert_messages (alert_id, target, error, due_at) SELECT id, 'MAIL', 'refused', NULL FROM alerts;
     INSERT INTO statement_months (month, starts_at, ends_at, time_zone, closed_at)
       SELECT to_char(at, 'YYYY-MM'), at, at + interval '1 month', 'UTC', now()
         FROM generate_series(timestamptz '2010-01-01', '2014-12-01', '1 month') at;
     INSERT INTO statements (account_id, month, year, number, closed_at, opening, credits, usage, closing, content)
       SELECT ${root.id}, month, left(month, 4)::smallint, row_number() OVER (), now(), 0, 0, 0, 0,
              '{"startsAt":"2010-01-01T00:00:00Z","endsAt":"2010-02-01T00:00:00Z","timeZone":"UTC","seller":{"name":"","address":"","taxNumber":"","note":""},"buyer":{"username":"","name":"","address":"","taxNumber":""},"quotaPerUnit":1,"inCurrency":true,"credits":[],"payments":[],"usage":[{"tokenId":1,"tokenName":"","modelName":"m","calls":1,"promptTokens":1,"completionTokens":1,"quota":1}]}'
         FROM statement_months WHERE month < '2015';
     INSERT INTO audit_entries (actor_id, actor_name, action, subject, subject_id, changes)
       SELECT ${root.id}, 'root', 'update', 'user', id::text, '[{"field":"group","before":"a","after":"b"}]' FROM users`,
  );
  await site.expectSuccess(root, 'POST', '/api/redemption/', { name: 'many', quota: 1, count: 60 });
});
afterAll(() => site.stop());

const statementsOf = async (ask: () => Promise<unknown>): Promise<number> => (await countStatements(site, ask)).length;

interface TypeRef {
  readonly kind: string;
  readonly name: string | null;
  readonly ofType?: TypeRef | null;
}
interface Field {
  readonly name: string;
  readonly type: TypeRef;
  readonly args: ReadonlyArray<{ readonly name: string; readonly type: TypeRef }>;
}
type Types = ReadonlyMap<string, readonly Field[]>;

async function readTypes(): Promise<Types> {
  const type = 'type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }';
  const query = `{ __schema { types { name fields { name args { name ${type} } ${type} } } } }`;
  const { data, text } = await site.graphql(root, query);
  if (!data) throw new Error(text);
  const { types } = data['__schema'] as { types: Array<{ name: string; fields: Field[] | null }> };
  return new Map(types.map(({ name, fields }) => [name, fields ?? []]));
}

const bare = (type: TypeRef): TypeRef => (type.ofType ? bare(type.ofType) : type);

/** Returns the row type of a page type. */
const rowOf = (types: Types, page: string): string => {
  const items = types.get(page)?.find(({ name }) => name === 'items');
  return (items && bare(items.type).name) ?? '';
};

/**
 * Returns a selection of every field of a type and of the objects below it. For rows that a row refers to, only the first
 * plain field is selected, because their own lists are separate lists.
 */
function everything(types: Types, name: string, above: readonly string[] = []): string {
  const rows = new Set([...types.keys()].filter((type) => type.endsWith('Page')).map((page) => rowOf(types, page)));
  const plain = (type: string): string =>
    types.get(type)?.find((field) => ['SCALAR', 'ENUM'].includes(bare(field.type).kind))?.name ?? '__typename';
  const isPage = name.endsWith('Page');
  const parts = (types.get(name) ?? []).map((field) => {
    const { kind, name: inner } = bare(field.type);
    if (kind !== 'OBJECT' || inner === null) return field.name;
    if (rows.has(inner) && !(isPage && above.length === 0) && name !== 'TaggedChannels')
      return `${field.name} { ${plain(inner)} }`;
    const path = [...above, name];
    return `${field.name} { ${path.includes(inner) ? plain(inner) : everything(types, inner, path)} }`;
  });
  return parts.join(' ');
}

/** Required arguments of a list. */
const required: Readonly<Record<string, string>> = {
  usage: 'groupBy: [USER, TOKEN, CHANNEL, MODEL], compareTo: { period: PREVIOUS }',
  myUsage: 'groupBy: [TOKEN, MODEL]',
  lowBalances: 'below: 3',
};

it('every list of the schema, with every field of its rows', async () => {
  const types = await readTypes();
  const lists = (types.get('Query') ?? []).filter(({ type }) => bare(type).name?.endsWith('Page'));
  expect(lists.length).toBeGreaterThanOrEqual(18);
  const counts: Record<string, [one: number, fifty: number]> = {};
  for (const { name, type } of lists) {
    const fields = everything(types, bare(type).name ?? '');
    const ask = async (pageSize: number): Promise<number> => {
      let rows = 0;
      const statements = await statementsOf(async () => {
        const page = `pageSize: ${pageSize}${required[name] ? `, ${required[name]}` : ''}`;
        const { data, text } = await site.graphql(root, `{ ${name}(${page}) { ${fields} } }`);
        if (!data) throw new Error(`${name}: ${text}`);
        rows = (data[name] as { items: unknown[] }).items.length;
      });
      expect([name, rows]).toEqual([name, pageSize]);
      return statements;
    };
    await ask(1);
    // Every panel of a dashboard costs a check of its query.
    counts[name] = [await ask(1), await ask(name === 'dashboards' ? 10 : 50)];
  }
  // Settings are read from memory. A list costs two statements, and the usage of all its rows costs one snapshot of five.
  // Each relation costs one statement, as do the grants of all keys, their last uses, and their budgets with the use of
  // these.
  expect(counts).toMatchObject({ options: [0, 0], users: [19, 19], myTokens: [14, 14] });
  const grown = Object.entries(counts).filter(([name, [one, fifty]]) =>
    name === 'options' ? false : fifty !== one || one < 1 || one > 20,
  );
  expect(grown).toEqual([]);
}, 240_000);

it('signed-in places: as many statements for one as for many', async () => {
  const query = '{ mySessions { id createdAt lastSeenAt expiresAt ip userAgent current } }';
  const one = await statementsOf(() => site.graphql(root, query));
  for (let n = 0; n < 10; n++) await site.signIn('root', root.password);
  expect(await statementsOf(() => site.graphql(root, query))).toBe(one);
});
