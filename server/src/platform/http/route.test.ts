import Fastify from 'fastify';
import { z } from 'zod';
import { openApiDocument } from './openapi/document.js';
import { int, parameter, sectionOf } from './openapi/operation.js';
import { RestAnswer, restHandlers } from './rest.js';
import { restRoutes, routesFor } from './route.js';

const nobody = {
  actorOfSession: () => Promise.resolve(null),
  actorOfAccessToken: () => Promise.resolve(null),
  actorInOrganisation: () => Promise.reject(new Error('no organisations')),
};
const route = routesFor<{ readonly factor: number }>();

const routes = [
  route('POST /api/sums/:id', {
    summary: 'A sum',
    caller: 'open',
    once: true,
    query: { times: parameter.whole('Times'), note: parameter.required('Note'), alias: parameter.words() },
    body: z.object({ amount: z.int() }).transform(({ amount }) => amount),
    data: z.object({ sum: int('Sum') }),
    example: { body: { amount: 1 } },
    handle: async ({ factor }, { id, query, body, idempotencyKey }) => ({
      sum: id + factor * body * query.times + query.note.length + (idempotencyKey?.length ?? 0),
    }),
  }),
  route('PUT /api/sums', {
    summary: 'Change',
    caller: 'open',
    query: { only: parameter.words('Any text') },
    body: ({ only }) => (only ? z.object({ flag: z.boolean() }) : z.object({ amount: z.int() })),
    response: z.object({ keys: z.array(z.string()) }),
    ownFailure: (error) => (error instanceof z.ZodError ? new RestAnswer({ why: 'unreadable' }, 400) : undefined),
    before: (_, { query }) => (query.only === 'never' ? new RestAnswer({ why: 'closed' }, 403) : undefined),
    example: {},
    handle: async (_, { body }) => ({ keys: Object.keys(body) }),
  }),
  route('GET /api/sums', {
    summary: 'Changes state',
    caller: { may: 'audit' },
    withoutHead: true,
    message: 'Done',
    example: {},
    handle: async () => undefined,
  }),
];

const app = Fastify();
let url = '';
beforeAll(async () => {
  const rest = restHandlers(nobody, () => Promise.reject(new Error('no keys')));
  await app.register(restRoutes(routes, { factor: 10 }, rest), { prefix: '/api' });
  url = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

const send = async (method: 'POST' | 'PUT', path: string, body: object, more = {}): Promise<[number, unknown]> => {
  const headers = { 'content-type': 'application/json', ...more };
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
  return [response.status, await response.json()];
};

it('hands the handler the id, the query and the body as their schemas read them', async () => {
  const headers = { 'idempotency-key': 'four' };
  expect(await send('POST', '/api/sums/7?times=2&note=abc', { amount: 5 }, headers)).toEqual([
    200,
    { success: true, message: '', data: { sum: 7 + 100 + 3 + 4 } },
  ]);
});

it('reads a query that is absent or unreadable as zero and empty', async () => {
  expect(await send('POST', '/api/sums/x?times=many', { amount: 5 })).toEqual([
    200,
    { success: true, message: '', data: { sum: 0 } },
  ]);
});

it('refuses a body with the name of the field', async () => {
  expect(await send('POST', '/api/sums/7', { amount: 'five' })).toEqual([
    200,
    {
      success: false,
      code: 'INVALID_INPUT',
      message: 'Invalid parameter: amount: Invalid input: expected number, received string',
    },
  ]);
});

it('takes the schema that the query selects, and the response of the route to a failure', async () => {
  expect(await send('PUT', '/api/sums', { amount: 1, flag: true })).toEqual([200, { keys: ['amount'] }]);
  expect(await send('PUT', '/api/sums?only=1', { amount: 1, flag: true })).toEqual([200, { keys: ['flag'] }]);
  expect(await send('PUT', '/api/sums', { flag: true })).toEqual([400, { why: 'unreadable' }]);
  expect(await send('PUT', '/api/sums?only=never', {})).toEqual([403, { why: 'closed' }]);
});

it('describes the route with the same schemas', () => {
  const { paths } = openApiDocument([sectionOf('Sums', 'Sums.', routes)], { version: '', server: '' });
  const post = paths['/api/sums/{id}']?.['post'];
  expect(post?.parameters.map(({ name, required, schema }) => [name, required, schema])).toEqual([
    ['id', true, { type: 'integer' }],
    ['times', undefined, { type: 'integer' }],
    ['note', true, { type: 'string' }],
    ['Idempotency-Key', undefined, { type: 'string', minLength: 1, maxLength: 128 }],
  ]);
  expect(post?.requestBody?.content['application/json']?.['schema']).toMatchObject({
    properties: { amount: { type: 'integer' } },
    required: ['amount'],
  });
  expect(paths['/api/sums']?.['get']?.['x-role']).toBe('root');
});

it('exposes no HEAD where the GET changes state', async () => {
  expect((await fetch(`${url}/api/sums`, { method: 'HEAD' })).status).toBe(404);
});
