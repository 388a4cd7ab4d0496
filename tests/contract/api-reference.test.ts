import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OpenApiDocument, OpenApiOperation } from '../../server/src/platform/http/openapi/document.js';
import type { Person } from '../support/api.js';
import { addStatement } from '../support/account-statements.js';
import { json } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { leastOf, operations as roleTable } from './roles-table.js';
import { anywhere, Site } from './site.js';

let site: Site;
let upstream: Upstream;
let document: OpenApiDocument;
let ajv: Ajv2020;
let key = '';
const people = {} as Record<'common' | 'admin' | 'root', Person>;

beforeAll(async () => {
  upstream = await startUpstream();
  site = await Site.open({ OUTBOUND_ALLOW: '127.0.0.1' });
  people.root = await site.setUp();
  // The examples change the user with id 2.
  await site.invite(people.root);
  people.common = await site.invite(people.root);
  await site.expectSuccess(people.root, 'PUT', '/api/user', { id: people.common.id, quota: 1_000_000 });
  people.admin = await site.invite(people.root, 'admin');
  // The examples use the key 1, the channel 1 and the code 1.
  await site.server.api.createToken(people.common);
  // Examples of keys of users change the key 2.
  await site.expectSuccess(people.root, 'POST', '/api/key', { user_id: 2, name: 'of a user' });
  const models = [
    'gpt-4o',
    'text-embedding-3-small',
    'dall-e-3',
    'omni-moderation-latest',
    'rerank-english-v3.0',
    'sora-2',
  ];
  await site.server.api.createChannel(people.root, { baseUrl: upstream.url, models });
  await site.expectSuccess(people.root, 'POST', '/api/redemption', { name: 'spring', quota: 1000, count: 2 });
  // The examples refund the order 1. Its gateway does not speak TLS: the outcome is not known, the refund stays pending.
  const gateway = { PayAddress: upstream.url.replace('http:', 'https:'), EpayId: '1000', EpayKey: 'key' };
  for (const [name, value] of Object.entries(gateway)) {
    await site.expectSuccess(people.root, 'PUT', '/api/option', { key: name, value });
  }
  await site.query(
    `INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, quota, money, currency, created_at,
                                status, paid_at, provider_trade_no)
     VALUES ($1, 'order', 'epay', '1000', 'wxpay', 5, 1460, 'CNY', now(), 'success', now(), 'payment')`,
    [people.common.id],
  );
  // An older refund of it, whose outcome an example reports.
  await site.query(
    `INSERT INTO top_up_reversals (order_id, kind, state, money, quota, taken, created_at, actor_id)
     VALUES (1, 'refund', 'pending', 1, 0, 0, now() - interval '1 hour', 1)`,
  );
  // The examples change the organisation 20 and leave the organisation 21.
  await site.query(
    `INSERT INTO users (id, username, kind) OVERRIDING SYSTEM VALUE VALUES (20, 'Twenty', 'organisation'), (21, 'Other', 'organisation')`,
  );
  await site.query(
    `INSERT INTO memberships (organisation_id, user_id, role)
     VALUES (20, $1, 'owner'), (20, $2, 'member'), (21, $2, 'owner'), (21, $1, 'member')`,
    [people.common.id, people.admin.id],
  );
  await site.query("INSERT INTO projects (organisation_id, name) VALUES (20, 'Chat')");
  await site.query(
    `INSERT INTO invitations (organisation_id, role, token_hash, created_by, expires_at)
     VALUES (20, 'member', 'hash', $1, now() + interval '1 day')`,
    [people.common.id],
  );
  await addStatement((text, values) => site.query(text, [...values]), people.common.id);
  ({ key } = await site.server.api.createToken(people.root));
  document = (await (await fetch(`${site.server.url}/openapi.json`)).json()) as OpenApiDocument;
  ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'site');
});
afterAll(async () => {
  await site.stop();
  await upstream.stop();
});

interface Described {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}
const described = (): Described[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

describe('the document', () => {
  it('is OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result).toMatchObject({ valid: true });
  });

  it('has every route of the server, and only those', () => {
    const mounted = site.server.app.routes
      .filter(({ method, url }) => method !== 'HEAD' && method !== 'OPTIONS' && !known(url))
      .map(({ method, url }) => `${method} ${braced(url.replace(/\/$/, ''))}`);
    const listed = described().map(({ method, path }) => `${method} ${path}`);
    expect(listed.sort()).toEqual([...new Set(mounted)].sort());
  });

  it('names an operation once', () => {
    const ids = described().map(({ operation }) => operation.operationId);
    expect(ids).toHaveLength(new Set(ids).size);
  });

  it('says who may call what the role table has', () => {
    const least = new Map(
      roleTable.flatMap((one) =>
        (one.rest ?? []).map((entry) => [typeof entry === 'string' ? entry : entry[0], leastOf(one)] as const),
      ),
    );
    const differing = described().flatMap(({ method, path, operation }) => {
      const role = least.get(`${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`);
      return role && role !== operation['x-role'] && operation['x-role'] !== 'key' ? [`${method} ${path}`] : [];
    });
    expect(differing).toEqual([]);
  });

  it('is read by programs of other sites, without a sign-in', async () => {
    const response = await fetch(`${site.server.url}/openapi.json`, { headers: { origin: 'https://editor.example' } });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  });
});

/**
 * Whether a path is not in the document: aliases of `/v1`, the drawing modes, the console, and paths that are described
 * elsewhere.
 */
const known = (url: string): boolean =>
  /^\/(hf\/v1|v1beta\/openai|openai|anthropic\/v1|v1(beta1)?\/projects|v1beta\/:vendor|:mode\/mj|model)\/|^\/(upload\/v1\/files|v1\/(?:cachedContents|interactions).*)$|^\/models$|^\/graphql(\/stream)?$|^\/(v1|v1beta)\/models\/:model\/\*$|^\/v1\/models\/\*$|^\/(v1|v1beta|v1beta1|v1alpha|hf|openai|anthropic|upload|ws)\/\*$|^\/openapi\.json$|^\/docs\b|^\/[\w./-]+\.\w{2,11}$/.test(
    url,
  );
const braced = (url: string): string => url.replace(/:(\w+)/g, '{$1}').replace('*', '{path}');

describe('examples', () => {
  /**
   * Returns the order in which the operation is tested: deletions and bans come last. Calls of models come first, while no
   * example has created a channel without a provider.
   */
  const rank = ({ method, path, operation }: Described): number => {
    if (method === 'DELETE') return /^\/api\/\w+\/\{id\}$/.test(path) ? 5 : 4;
    if (path === '/api/user/manage') return 3;
    if (operation['x-role'] === 'key') return 0;
    return method === 'POST' ? 1 : 2;
  };

  it('are sent, and get what the document says', async () => {
    upstream.script({ path: '/v1/embeddings' }, json({ object: 'list', data: [], usage: { prompt_tokens: 1 } }));
    upstream.script({ path: '/v1/moderations' }, json({ id: 'modr-1', results: [] }));
    upstream.script({ path: '/v1/rerank' }, json({ results: [] }));
    upstream.script({ path: '/v1/images' }, json({ created: 1, data: [{ url: 'https://example.com/1.png' }] }));
    upstream.script({ path: '/v1/videos' }, json({ id: 'video_1', object: 'video', status: 'queued' }));
    upstream.script({ path: '/v1/completions' }, json({ id: 'cmpl-1', object: 'text_completion', choices: [] }));
    await site.expectSuccess(people.root, 'PUT', '/api/option/', { key: 'status_page.enabled', value: 'true' });
    const faults: string[] = [];
    for (const one of described().sort((left, right) => rank(left) - rank(right))) faults.push(...(await check(one)));
    expect(faults).toEqual([]);
  });

  it('finds a response that the document does not describe', async () => {
    const option = { ...document.paths['/api/option']?.['get'] } as OpenApiOperation;
    const wrong = { success: true, message: '', data: [{ key: 1, value: 'x', more: true }] };
    expect(faultsOf('/api/option', 'get', option, 200, wrong)).not.toEqual([]);
    const more = { success: true, message: '', data: [{ key: 'a', value: 'x', more: true }] };
    expect(faultsOf('/api/option', 'get', option, 200, more)).toEqual(['.data[].more is not described']);
  });
});

/** Sends the example of an operation and says how the response differs from the document. */
async function check({ method, path, operation }: Described): Promise<string[]> {
  const { 'x-example': example, 'x-role': role } = operation;
  const { path: parts = {}, query = {}, body, fails } = example;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => String(parts[name] ?? parts['*'] ?? 1));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const isOwnEnd = method === 'DELETE' && path === '/api/user/self';
  const person = isOwnEnd ? await site.invite(people.root) : role in people ? people[role as 'common'] : null;
  const headers = role === 'key' ? { authorization: `Bearer ${key}` } : anywhere();
  // These operations need an upgrade or a form. An example without one gets an error in the described format.
  const url = `${filled}${search.size > 0 ? `?${search}` : ''}`;
  const answer = await site.server.api.rest(person, method, url, body, headers);
  const name = `${method} ${path}`;
  const content = answer.body as { success?: boolean; code?: unknown } | string;
  const code = typeof content === 'object' ? content.code : undefined;
  if (fails) return code === fails ? [] : [`${name}: ${answer.status} ${JSON.stringify(content)}, not ${fails}`];
  if (method !== 'DELETE' && served.has(path) && answer.status !== 200)
    return [`${name} failed: ${JSON.stringify(content)}`];
  if (path.startsWith('/api') && typeof content === 'object' && content.success === false && !mayFail(path))
    return [`${name} failed: ${JSON.stringify(content)}`];
  return faultsOf(path, method.toLowerCase(), operation, answer.status, content).map((fault) => `${name}: ${fault}`);
}

/** The calls of models that the site's channel serves. */
const served = new Set([
  ...['/v1/models', '/v1/models/{model}', '/v1beta/models', '/v1/chat/completions', '/v1/responses/input_tokens'],
  ...['/v1/messages', '/v1/messages/count_tokens', '/v1beta/models/{path}', '/v1/completions', '/v1/embeddings'],
  ...[
    '/v1/engines/{model}/embeddings',
    '/v1/moderations',
    '/v1/rerank',
    '/v2/rerank',
    '/v1/images/generations',
    '/v1/videos',
    '/pg/chat/completions',
  ],
]);

/** Whether an operation may fail in a format of its own: the test of an unknown channel, and payments without a gateway. */
const mayFail = (path: string): boolean =>
  path === '/api/channel/test/{id}' || /^\/api\/user\/(amount|pay)$/.test(path);

function faultsOf(
  path: string,
  method: string,
  { responses }: OpenApiOperation,
  status: number,
  content: unknown,
): string[] {
  const place = responses[status] ? String(status) : 'default';
  const response = responses[place];
  if (!response) return [`status ${status} is not described: ${JSON.stringify(content)}`];
  const media = (response['content'] ?? {}) as Record<string, { schema: Record<string, unknown> }>;
  if (typeof content === 'string')
    return Object.keys(media).some((type) => type !== 'application/json') ? [] : ['text'];
  const schema = media['application/json']?.schema;
  if (!schema) return [`JSON is not described: ${JSON.stringify(content).slice(0, 200)}`];
  const pointer = ['paths', path, method, 'responses', place, 'content', 'application/json', 'schema'];
  const validate = ajv.getSchema(`site#/${pointer.map(escapePointer).join('/')}`) as ValidateFunction;
  if (!validate(content))
    return [`${ajv.errorsText(validate.errors).slice(0, 500)} in ${JSON.stringify(content).slice(0, 300)}`];
  return path.startsWith('/api') ? undocumented(schema, content) : [];
}

const escapePointer = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Returns the keys of a response that no format of its schema has. */
function undocumented(schema: unknown, value: unknown, at = ''): string[] {
  const forms = formsOf(schema);
  if (Array.isArray(value))
    return value
      .slice(0, 3)
      .flatMap((item) => undocumented({ anyOf: forms.map((form) => form['items']) }, item, `${at}[]`));
  if (typeof value !== 'object' || value === null) return [];
  const open = forms.some((form) => Object.keys(form).length === 0 || form['additionalProperties'] !== undefined);
  return Object.entries(value).flatMap(([name, inner]) => {
    const fields = forms.flatMap((form) => (form['properties'] as Record<string, unknown> | undefined)?.[name] ?? []);
    if (fields.length > 0) return undocumented({ anyOf: fields }, inner, `${at}.${name}`);
    return open ? [] : [`${at}.${name} is not described`];
  });
}

function formsOf(schema: unknown): Array<Record<string, unknown>> {
  const form = schema as { $ref?: string; anyOf?: unknown[] } | undefined;
  if (!form) return [];
  if (form.$ref) return formsOf(document.components.schemas[form.$ref.slice(form.$ref.lastIndexOf('/') + 1)]);
  return form.anyOf ? form.anyOf.flatMap(formsOf) : [form];
}

describe('the page', () => {
  const page = async (path: string): Promise<{ response: Response; text: string }> => {
    const response = await fetch(`${site.server.url}${path}`);
    return { response, text: await response.text() };
  };

  it('shows every operation and loads nothing from elsewhere', async () => {
    const { response, text } = await page('/docs/api');
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    for (const { operation } of described()) expect(text).toContain(`id="${operation.operationId}"`);
    expect(
      [...text.matchAll(/(?:src|href)="([^"#]+)/g)].map(([, link]) => link).filter((link) => !link?.startsWith('/')),
    ).toEqual([]);
    expect(text).not.toMatch(/<script>|style="|undefined|\[object/);
    for (const asset of ['/docs/api.css', '/docs/api.js']) {
      expect(text).toContain(asset);
      expect((await page(asset)).response.status).toBe(200);
    }
  });
});
