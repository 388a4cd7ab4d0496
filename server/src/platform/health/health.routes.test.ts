import Fastify, { type FastifyInstance } from 'fastify';
import { httpMetrics } from '../observability/http-requests.js';
import { Metrics } from '../observability/metrics.js';
import { restHandlers } from '../http/rest.js';
import { machineChecks } from './health.routes.js';
import { HealthService } from './health.service.js';

let app: FastifyInstance;
let broken: 'no' | 'fails' | 'hangs';
let health: HealthService;

/** @param required whether the check that `broken` controls decides readiness */
async function start(metricsToken?: string, required = true): Promise<void> {
  const check = (): Promise<void> => {
    if (broken === 'hangs') return new Promise(() => undefined);
    return broken === 'fails' ? Promise.reject(new Error('away')) : Promise.resolve();
  };
  health = new HealthService([{ name: 'database', required, check }], 50);
  const metrics = new Metrics(false);
  app = Fastify();
  await app.register(httpMetrics(metrics));
  const rest = restHandlers(
    {
      actorOfSession: () => Promise.resolve(null),
      actorOfAccessToken: () => Promise.resolve(null),
      actorInOrganisation: () => Promise.reject(new Error('no organisations')),
    },
    () => Promise.reject(new Error('no keys')),
  );
  await app.register(machineChecks({ health, metrics, metricsToken }, rest));
}

beforeEach(() => {
  broken = 'no';
});
afterEach(() => app.close());

it('answers /healthz and /readyz, never cached', async () => {
  await start();
  const healthz = await app.inject('/healthz');
  expect([healthz.statusCode, healthz.json()]).toEqual([200, { status: 'ok' }]);
  const readyz = await app.inject('/readyz');
  expect([readyz.statusCode, readyz.json()]).toEqual([200, { status: 'ready', checks: { database: true } }]);
  expect(readyz.headers['cache-control']).toBe('no-store');
});

it.each(['fails', 'hangs'] as const)('is not ready while the database %s, and healthy still', async (how) => {
  await start();
  broken = how;
  const readyz = await app.inject('/readyz');
  expect([readyz.statusCode, readyz.json()]).toEqual([503, { status: 'not ready', checks: { database: false } }]);
  expect((await app.inject('/healthz')).statusCode).toBe(200);
  broken = 'no';
  expect((await app.inject('/readyz')).statusCode).toBe(200);
});

it('stays ready while something it can serve without is away, and names it', async () => {
  await start(undefined, false);
  broken = 'fails';
  const readyz = await app.inject('/readyz');
  expect([readyz.statusCode, readyz.json()]).toEqual([200, { status: 'ready', checks: { database: false } }]);
});

it('is not ready once it stops', async () => {
  await start();
  health.beginStop();
  const readyz = await app.inject('/readyz');
  expect([readyz.statusCode, readyz.json().checks]).toEqual([503, { database: true, stopping: false }]);
});

it('answers /metrics in Prometheus text, requests by route pattern included', async () => {
  await start();
  await app.inject('/healthz?key=secret');
  const metrics = await app.inject('/metrics');
  expect(metrics.headers['content-type']).toMatch(/^text\/plain; version=/);
  expect(metrics.body).toContain('tollgate_http_duration_seconds_count{method="GET",route="/healthz",status="200"} 1');
  expect(metrics.body).not.toContain('secret');
});

it.each([
  ['nothing', undefined, 401],
  ['another token', 'Bearer another-token-of-some-length', 401],
  ['the bare token', 'a-token-for-metrics', 401],
  ['the token', 'Bearer a-token-for-metrics', 200],
])('asks for its token when one is set: %s', async (_name, authorization, status) => {
  await start('a-token-for-metrics');
  const response = await app.inject({ url: '/metrics', headers: authorization ? { authorization } : {} });
  expect(response.statusCode).toBe(status);
  if (status === 401) expect(response.body).not.toContain('tollgate_');
});
