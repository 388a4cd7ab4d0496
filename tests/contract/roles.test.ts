import { setTimeout as delay } from 'node:timers/promises';
import { EventReader } from '../support/event-reader.js';
import { callers, leastOf, operations, pathOfUnknownId, type Caller, type Operation } from './roles-table.js';
import { rootPassword, Site, type Person } from './site.js';
import { isFullSuite } from '../support/suite.js';

let site: Site;
let root: Person;
const people = {} as Record<Caller | 'otherCommon' | 'otherAdmin', Person | null>;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  people.anonymous = null;
  people.common = await site.invite(root);
  people.otherCommon = await site.invite(root);
  people.admin = await site.invite(root, 'admin');
  people.otherAdmin = await site.invite(root, 'admin');
  people.root = root;
});
afterAll(() => site.stop());

const refusals = ['NOT_SIGNED_IN', 'INSUFFICIENT_PRIVILEGES'];
const fieldOf = (document: string): string => /\{\s*(\w+)/.exec(document)?.[1] ?? '';
const kindOf = (document: string): string => document.slice(0, document.indexOf(' '));
const routeOf = (entry: NonNullable<Operation['rest']>[number]): string =>
  typeof entry === 'string' ? entry : entry[0];

/** An open stream was not refused. */
async function subscribe(person: Person | null, text: string): Promise<{ codes: string[] }> {
  const reader = await EventReader.open(site.server.url, person, text);
  await reader.until((one) => one.text !== '');
  if (!reader.completed) await delay(50);
  reader.close();
  return { codes: reader.codes };
}

/** Creates a user of this role, because the call may consume it. */
async function fresh(caller: Caller): Promise<Person | null> {
  if (caller === 'anonymous') return null;
  return caller === 'root' ? site.signIn('root', rootPassword) : site.invite(root, caller);
}

const isRefused = (codes: readonly string[]): boolean => codes.some((code) => refusals.includes(code));
const mayNot = (operation: Operation, caller: Caller): boolean =>
  callers.indexOf(caller) < callers.indexOf(leastOf(operation)) || (operation.notRoot === true && caller === 'root');

/**
 * Whether an operation is tested as this caller. Roles include each other, so `npm test` uses the lowest allowed role and
 * the highest refused role, and root where only root is refused. A full suite uses every caller.
 */
function isAsked(operation: Operation, caller: Caller): boolean {
  const rank = callers.indexOf(caller) - callers.indexOf(leastOf(operation));
  return isFullSuite || rank === 0 || rank === -1 || (operation.notRoot === true && caller === 'root');
}

describe('the table', () => {
  it('has every field of the schema, and only those', async () => {
    const query =
      '{ __schema { queryType { ...names } mutationType { ...names } subscriptionType { ...names } } } fragment names on __Type { fields { name } }';
    const { data } = await site.graphql(null, query);
    const schema = data?.['__schema'] as Record<
      'queryType' | 'mutationType' | 'subscriptionType',
      { fields: Array<{ name: string }> }
    >;
    const mounted = [
      ...schema.queryType.fields.map(({ name }) => `query ${name}`),
      ...schema.mutationType.fields.map(({ name }) => `mutation ${name}`),
      ...schema.subscriptionType.fields.map(({ name }) => `subscription ${name}`),
    ];
    const listed = operations.flatMap(({ graphql = [] }) => graphql.map((text) => `${kindOf(text)} ${fieldOf(text)}`));
    expect(listed.sort()).toEqual(mounted.sort());
  });

  it('has every route under /api, and only those', () => {
    const mounted = site.server.app.routes
      .filter(({ method, url }) => method !== 'HEAD' && url.startsWith('/api') && !asksForKey(url))
      .map(({ method, url }) => `${method} ${url.replace(/\/$/, '')}`);
    const listed = operations.flatMap(({ rest = [] }) => rest.map(routeOf));
    expect(listed.sort()).toEqual([...new Set(mounted)].sort());
  });

  it('leaves out only what asks for an API key, the playground (its own tests), what machines watch, and files', () => {
    const others = site.server.app.routes.filter(({ url }) => !url.startsWith('/api') && !asksForKey(url));
    const known =
      /^\/(graphql|graphql\/stream|healthz|readyz|metrics)$|^(\/hf)?\/v1\/|^\/v1beta1?\/|^\/v2\/rerank$|^\/models$|^\/(openai|anthropic|model|v1alpha|hf|upload|ws)\/|^\/dashboard\/billing\/|^(\/:mode)?\/mj\/|^\/(suno|kling)\/|^\/pg\/|^\/docs(\/|$)|^\/[\w./-]+\.\w{2,11}$/;
    expect(others.filter(({ url }) => !known.test(url))).toEqual([]);
  });
});

const asksForKey = (url: string): boolean => url === '/api/usage/token';

describe.each(callers)('%s', (caller) => {
  const asked = operations.filter((operation) => isAsked(operation, caller));
  const graphql = asked.flatMap((operation) => (operation.graphql ?? []).map((text) => [text, operation] as const));
  it.each(graphql)('%s', async (text, operation) => {
    const person = operation.spends ? await fresh(caller) : people[caller];
    const { codes } =
      kindOf(text) === 'subscription' ? await subscribe(person, text) : await site.graphql(person, text);
    expect([codes, isRefused(codes)]).toEqual([codes, mayNot(operation, caller)]);
    // An invalid sample would prove nothing.
    expect(codes).not.toContain('GRAPHQL_VALIDATION_FAILED');
  });

  const rest = asked.flatMap((operation) =>
    (operation.rest ?? []).map((entry) => [routeOf(entry), entry, operation] as const),
  );
  it.each(rest)('%s', async (route, entry, operation) => {
    const person = operation.spends ? await fresh(caller) : people[caller];
    const [method = '', pattern = ''] = route.split(' ');
    const { query, body, headers } = typeof entry === 'string' ? {} : entry[1];
    const path = pathOfUnknownId(pattern) + (query ? `?${query}` : '');
    const answer = await site.rest(person, method, path, method === 'GET' ? undefined : (body ?? {}), headers);
    const code = typeof answer.body['code'] === 'string' ? answer.body['code'] : '';
    expect([code, isRefused([code])]).toEqual([code, mayNot(operation, caller)]);
    expect([answer.status === 401, answer.status === 404]).toEqual([code === 'NOT_SIGNED_IN', false]);
  });
});

describe('rows of users', () => {
  type Name = 'anonymous' | 'common' | 'admin' | 'root';
  const levels = ['common', 'admin', 'root'] as const;
  type Level = (typeof levels)[number];

  /** The actions that each caller may take on another user of each role. */
  const rules: ReadonlyArray<{
    what: string;
    graphql: string;
    rest?: (id: number) => [string, string, unknown?];
    may: (caller: Name, target: Level) => boolean;
  }> = [
    {
      what: 'read',
      graphql: 'query { user(id: $id) { id } }',
      rest: (id) => ['GET', `/api/user/${id}`],
      may: outranks,
    },
    {
      what: 'edit',
      graphql: 'mutation { updateUser(input: { id: $id, displayName: "x" }) { user { id } } }',
      rest: (id) => ['PUT', '/api/user/', { id, display_name: 'x' }],
      may: outranks,
    },
    {
      what: 'grant',
      graphql:
        'mutation { grantQuota(input: { userId: $id, amount: 1, idempotencyKey: "grant $id" }) { user { id } } }',
      may: outranks,
    },
    {
      what: 'set the password of',
      graphql: 'mutation { updateUser(input: { id: $id, password: "a new password" }) { user { id } } }',
      rest: (id) => ['PUT', '/api/user/', { id, password: 'a new password' }],
      may: (caller, target) => target !== 'root' && outranks(caller, target),
    },
    {
      what: 'ban',
      graphql: 'mutation { banUser(id: $id) { user { id } } }',
      rest: (id) => ['POST', '/api/user/manage', { id, action: 'disable' }],
      may: (caller, target) => target !== 'root' && outranks(caller, target),
    },
    {
      what: 'promote',
      graphql: 'mutation { promoteUser(id: $id) { user { id } } }',
      rest: (id) => ['POST', '/api/user/manage', { id, action: 'promote' }],
      may: (caller, target) => caller === 'root' && target === 'common',
    },
    {
      what: 'demote',
      graphql: 'mutation { demoteUser(id: $id) { user { id } } }',
      rest: (id) => ['POST', '/api/user/manage', { id, action: 'demote' }],
      may: (caller, target) => caller === 'root' && target === 'admin',
    },
    {
      what: 'delete',
      graphql: 'mutation { deactivateUser(id: $id) { user { id } } }',
      rest: (id) => ['POST', '/api/user/manage', { id, action: 'delete' }],
      may: (caller, target) => target !== 'root' && outranks(caller, target),
    },
    {
      what: 'remove',
      graphql: 'mutation { removeUser(id: $id) { id } }',
      rest: (id) => ['DELETE', `/api/user/${id}`],
      may: (caller, target) => target !== 'root' && outranks(caller, target),
    },
  ];

  function outranks(caller: Name, target: Level): boolean {
    if (caller === 'root') return true;
    return caller === 'admin' && target === 'common';
  }

  /** A user of this role; there is only one root. */
  async function row(role: Level): Promise<number> {
    if (role === 'root') return root.id;
    const name = `row${Math.random().toString(36).slice(2)}`;
    const rows = await site.query<{ id: number }>('INSERT INTO users (username, role) VALUES ($1, $2) RETURNING id', [
      name,
      role,
    ]);
    return rows[0]?.id ?? 0;
  }

  const cases = rules.flatMap((rule) =>
    callers.flatMap((caller) => levels.map((target) => [caller, rule.what, target, rule] as const)),
  );
  // Only root changes root's password, because a change would break the tests that follow.
  const safe = cases.filter(
    ([caller, what, target]) => !(caller === 'root' && target === 'root' && what.startsWith('set')),
  );

  it.each(safe)('%s may (or not) %s a user of role %s', async (caller, _what, target, { graphql, rest, may }) => {
    const person = people[caller];
    const expected = may(caller, target);
    const { codes } = await site.graphql(person, graphql.replaceAll('$id', String(await row(target))));
    expect([codes, codes.length === 0]).toEqual([codes, expected]);
    if (!rest) return;
    const [method, path, body] = rest(await row(target));
    const answer = await site.rest(person, method, path, body);
    expect([answer.body, answer.body['success']]).toEqual([answer.body, expected]);
  });

  it('an admin stands no higher than himself', async () => {
    const admin = people.admin;
    for (const { graphql } of rules) {
      const { codes } = await site.graphql(admin, graphql.replaceAll('$id', String(admin?.id)));
      expect(codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
    }
  });
});

describe('rows of tokens belong to their owner alone', () => {
  const owners = ['common', 'admin', 'root'] as const;
  const everybody = ['anonymous', 'common', 'otherCommon', 'admin', 'otherAdmin', 'root'] as const;
  type Call = [method: string, path: string, body?: unknown];
  const uses: ReadonlyArray<readonly [what: string, graphql: string, rest: (id: number) => Call]> = [
    ['key', 'query { tokenKey(id: $id) }', (id) => ['GET', `/api/token/${id}`]],
    [
      'edit',
      'mutation { updateToken(input: { id: $id, name: "mine" }) { token { id } } }',
      (id) => ['PUT', '/api/token/', { id, name: 'mine', expired_time: -1, remain_quota: 0 }],
    ],
    [
      'switch',
      'mutation { disableToken(id: $id) { token { id } } }',
      (id) => ['PUT', '/api/token/?status_only=true', { id, status: 2 }],
    ],
    ['delete', 'mutation { deleteToken(id: $id) { id } }', (id) => ['DELETE', `/api/token/${id}`]],
  ];
  const cases = owners.flatMap((owner) =>
    everybody.flatMap((caller) => uses.map((use) => [caller, use[0], owner, use] as const)),
  );

  async function token(owner: (typeof owners)[number]): Promise<number> {
    const name = `token${Math.random().toString(36).slice(2)}`;
    await site.expectSuccess(people[owner], 'POST', '/api/token/', { name, unlimited_quota: true, expired_time: -1 });
    const rows = await site.query<{ id: number }>('SELECT id FROM tokens WHERE name = $1', [name]);
    return rows[0]?.id ?? 0;
  }

  it.each(cases)('%s: %s of a token of %s', async (caller, _use, owner, [, graphql, rest]) => {
    const person = people[caller];
    const { codes } = await site.graphql(person, graphql.replaceAll('$id', String(await token(owner))));
    expect([codes, codes.length === 0]).toEqual([codes, caller === owner]);
    const answer = await site.rest(person, ...rest(await token(owner)));
    expect([answer.body, answer.body['success']]).toEqual([answer.body, caller === owner]);
  });

  it('lists show each caller his own', async () => {
    const id = await token('common');
    const listed = async (name: (typeof everybody)[number]): Promise<number[]> =>
      (
        (await site.rest(people[name], 'GET', '/api/token/?p=0&size=100')).body as unknown as {
          data: Array<{ id: number }>;
        }
      ).data.map((one) => one.id);
    expect(await listed('common')).toContain(id);
    for (const name of ['otherCommon', 'admin', 'root'] as const) expect(await listed(name)).not.toContain(id);
  });
});

it('no type has a field for a secret', async () => {
  const query = '{ __schema { types { name fields { name } } } }';
  const { data } = await site.graphql(null, query);
  const { types } = data?.['__schema'] as { types: Array<{ name: string; fields: Array<{ name: string }> | null }> };
  const fields = types
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap(({ name, fields: all }) => (all ?? []).map((field) => `${name}.${field.name}`));
  const telling = fields.filter((field) => /\.(.*(password|secret|hash|sealed|accessToken).*|.*keys?)$/i.test(field));
  // The server only knows the public part of passkeys.
  expect(telling.filter((field) => !/passkeys?$/i.test(field)).sort()).toEqual([
    // The secret of an authenticator app, shown while it is set up.
    'BeginAuthenticatorAppPayload.secret',
    // The field contains the positions and the health of keys, without their text.
    'Channel.keys',
    // Limits of each key.
    'ChannelLimits.key',
    // These fields show the caller's own secrets once, or belong to an endpoint that is restricted and logged.
    ...['CreateAccessTokenPayload.accessToken', 'CreateAccessTokenPayload.secret', 'CreateTokenPayload.key'],
    // Keys that admins make for users.
    'CreateUserTokenPayload.key',
    // It signs messages to an endpoint, and is shown once.
    'CreateWebhookEndpointPayload.secret',
    ...[
      'Mutation.addChannelKeys',
      'Mutation.createAccessToken',
      'Mutation.removeChannelKey',
      'Mutation.renewAccessToken',
      'Mutation.renewWebhookSecret',
      'Mutation.requestPasswordReset',
    ],
    ...['Mutation.resetPassword', 'Mutation.revokeAccessToken'],
    ...['Option.isSecret', 'Option.key', 'Query.accessToken', 'Query.accessTokens'],
    ...['Query.channelKeys', 'Query.hasPassword', 'Query.tokenKey'],
    // Admins distribute codes, so lists show them.
    ...['Redemption.key', 'RenewAccessTokenPayload.accessToken', 'RenewWebhookSecretPayload.secret'],
    // The new password is shown once, to the reader of the email.
    ...['ResetPasswordPayload.password', 'RevokeAccessTokenPayload.accessToken', 'RotateTokenPayload.key'],
    'RotateUserTokenPayload.key',
    ...['Status.passwordLoginEnabled', 'Status.passwordRegisterEnabled'],
    ...['Status.turnstileSiteKey', 'Token.maskedKey'],
    // The key is the group of a usage row.
    'UsageRow.key',
    // Only whether there is one, like hasPassword above.
    'UserSetting.hasWebhookSecret',
    // Until when the previous secret also signs.
    'WebhookEndpoint.previousSecretUntil',
  ]);
});
