import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, Kind, OperationTypeNode, parse, type GraphQLField } from 'graphql';
import { accessScopes } from '../../server/src/shared/actor.js';
import { operations } from './roles-table.js';
import { Site, type Person } from './site.js';

/** The scope that a token needs for each root field: as the server enforces it, and as the schema states it. */
let site: Site;
let root: Person;
const tokens = new Map<string, string>();

const schema = buildSchema(readFileSync(join(import.meta.dirname, '../../schema/schema.graphql'), 'utf8'), {
  assumeValid: true,
});

interface Case {
  readonly kind: OperationTypeNode;
  readonly name: string;
  readonly query: string;
}
const cases: Case[] = operations
  .flatMap(({ graphql = [] }) => graphql)
  .map((query) => {
    const [operation] = parse(query).definitions;
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error(query);
    const [field] = operation.selectionSet.selections;
    if (field?.kind !== Kind.FIELD) throw new Error(query);
    return { kind: operation.operation, name: field.name.value, query };
  });

const fieldOf = ({ kind, name }: Case): GraphQLField<unknown, unknown> => {
  const field = schema.getRootType(kind)?.getFields()[name];
  if (!field) throw new Error(`no field ${name}`);
  return field;
};
/** The scope at the end of the description, and another that suffices. Null: none. */
const stated = (one: Case): RegExpExecArray | null =>
  / Scope (\w+)(?: or (\w+))?\./.exec(fieldOf(one).description ?? '');
const described = (one: Case): string | null => stated(one)?.[1] ?? null;
const alternative = (one: Case): string | null => stated(one)?.[2] ?? null;
const directive = (one: Case, argument: 'scope' | 'orScope'): string | null => {
  const access = fieldOf(one).astNode?.directives?.find(({ name }) => name.value === 'access');
  const scope = access?.arguments?.find(({ name }) => name.value === argument)?.value;
  return scope?.kind === Kind.ENUM ? scope.value : null;
};

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  for (const scope of accessScopes) {
    const { data } = await site.graphql(
      root,
      `mutation { createAccessToken(input: { name: "${scope}", scopes: [${scope}] }) { secret } }`,
    );
    tokens.set(scope, (data?.['createAccessToken'] as { secret: string }).secret);
  }
});
afterAll(() => site.stop());

/** The text of the response to root's token with this scope alone. */
async function ask({ kind, query }: Case, scope: string): Promise<string> {
  const address = `${site.server.url}/graphql${kind === OperationTypeNode.SUBSCRIPTION ? '/stream' : ''}`;
  const stop = new AbortController();
  const response = await fetch(address, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokens.get(scope)}`,
      'content-type': 'application/json',
      accept: kind === OperationTypeNode.SUBSCRIPTION ? 'text/event-stream' : 'application/json',
    },
    body: JSON.stringify({ query }),
    signal: stop.signal,
  });
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  // An open stream has no end. A refused one says so in its first event.
  const reader = response.body!.getReader();
  const first = await Promise.race([reader.read(), new Promise<null>((resolve) => setTimeout(resolve, 300, null))]);
  stop.abort();
  return first?.value ? new TextDecoder().decode(first.value) : '';
}
const lacking = (text: string): string | null => /This access token lacks the scope (\w+)/.exec(text)?.[1] ?? null;

it('names the same scope in the description and in the directive', () => {
  expect(cases.length).toBeGreaterThan(150);
  const differs = (one: Case): boolean =>
    described(one) !== directive(one, 'scope') || alternative(one) !== directive(one, 'orScope');
  expect(cases.filter(differs).map(({ name }) => name)).toEqual([]);
  expect(cases.filter((one) => alternative(one) !== null).map(({ name }) => name)).toEqual(['budgets']);
});

it('refuses a token with any other scope, and names the one that the description names', async () => {
  const wrong: string[] = [];
  for (const one of cases) {
    const scope = described(one);
    // `me` needs one of two scopes, which no directive can say.
    if (one.name === 'me') continue;
    for (const other of accessScopes) {
      if (other === alternative(one)) continue;
      // A mutation with its scope would change something.
      // WRITE includes BILLING.
      if (other === scope || (scope === 'BILLING' && other === 'WRITE') || (scope === null && other !== 'KEYS_READ'))
        continue;
      const enforced = lacking(await ask(one, other));
      if (enforced !== scope)
        wrong.push(`${one.kind} ${one.name}: ${String(scope)}, with ${other}: ${String(enforced)}`);
    }
  }
  expect(wrong).toEqual([]);
});

it('lets a token with the scope read', async () => {
  const wrong: string[] = [];
  for (const one of cases.filter(({ kind }) => kind === OperationTypeNode.QUERY)) {
    const scope = described(one);
    if (scope === null || one.name === 'me') continue;
    for (const enough of [scope, alternative(one) ?? scope]) {
      // Fields of rows may need another one.
      if (lacking(await ask(one, enough)) === scope) wrong.push(`${one.name} with ${enough}`);
    }
  }
  expect(wrong).toEqual([]);
});

/** The first part of the paths of routes that a named token opens as the same field of GraphQL. */
const scopedPaths = /^\w+ \/api\/(plan|organization|statement|webhook|payment)(\/|$)/;

it('opens the routes of plans, organisations, statements, webhooks and payments with the scope of their fields', async () => {
  const wrong: string[] = [];
  let asked = 0;
  for (const { graphql = [], rest = [] } of operations) {
    const [field] = cases.filter(({ query }) => graphql.includes(query));
    for (const entry of rest) {
      const [route, { body = {} } = {}] = typeof entry === 'string' ? [entry] : entry;
      if (!scopedPaths.test(route)) continue;
      const [method = '', path = ''] = route.split(' ');
      const ofAdmins = /\/(export|all|subscription)$|\/(webhook|statement)(\/delivery)?$/.test(path);
      const scope = method !== 'GET' ? 'WRITE' : ofAdmins ? 'ADMIN_READ' : 'ACCOUNT_READ';
      if (graphql.length === 1 && field && described(field) !== scope)
        wrong.push(`${route}: GraphQL has ${String(described(field))}`);
      for (const other of accessScopes) {
        if (other === scope && method !== 'GET') continue;
        asked++;
        const response = await fetch(site.server.url + path.replace(/:\w+/g, '999999'), {
          method,
          headers: { authorization: `Bearer ${tokens.get(other)}`, 'content-type': 'application/json' },
          ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        const enforced = lacking(text);
        if (enforced !== (other === scope ? null : scope) || text.includes('INVALID_ACCESS_TOKEN'))
          wrong.push(`${route} with ${other}: ${text.slice(0, 200)}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(asked).toBeGreaterThan(250);
});

it('has one error for each field of rows that needs another right, not one for each row', async () => {
  const common = await site.invite(root);
  for (const model of ['m1', 'm2', 'm3']) {
    await site.query(`INSERT INTO logs (created_at, type, user_id, username, model_name) VALUES ($1, 2, $2, $3, $4)`, [
      Math.floor(Date.now() / 1000),
      common.id,
      common.username,
      model,
    ]);
    await site.query(
      `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls)
       VALUES ($1, $2, 1, 1, $3, 'default', 1)`,
      [Math.floor(Date.now() / 3_600_000) * 3600, common.id, model],
    );
  }
  const rows = '{ logs { items { user { username } token { name } } } }';
  const answer = JSON.parse(await ask({ kind: OperationTypeNode.QUERY, name: 'logs', query: rows }, 'LOGS_READ')) as {
    data: { logs: { items: unknown[] } };
    errors: Array<{ path: unknown[]; extensions: { code: string } }>;
  };
  expect(answer.data.logs.items.length).toBeGreaterThan(2);
  expect(answer.errors).toMatchObject([
    { path: ['logs', 'items', 0, 'user'], extensions: { code: 'INSUFFICIENT_PRIVILEGES' } },
  ]);
  const own = await site.graphql(
    common,
    '{ myUsage(groupBy: [MODEL]) { items { key { modelName channelName channelTag } } } }',
  );
  expect((own.data?.['myUsage'] as { items: unknown[] }).items).toHaveLength(3);
  expect(own.codes).toEqual(['INSUFFICIENT_PRIVILEGES', 'INSUFFICIENT_PRIVILEGES']);
});
