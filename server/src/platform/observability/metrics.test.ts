import pg from 'pg';
import { Metrics } from './metrics.js';
import { watchPool } from './watch-pool.js';

it('tells everything the operators ask for, event-loop lag included', async () => {
  const text = await new Metrics().scrape();
  for (const name of [
    'tollgate_relay_calls_total',
    'tollgate_relay_duration_seconds',
    'tollgate_relay_first_byte_seconds',
    'tollgate_tokens_total',
    'tollgate_quota_charged_total',
    'tollgate_upstream_errors_total',
    'tollgate_ledger_batch_size',
    'tollgate_ledger_batch_seconds',
    'tollgate_database_pool_wait_seconds',
    'nodejs_eventloop_lag_seconds',
    'process_resident_memory_bytes',
  ]) {
    expect(text).toContain(`# TYPE ${name} `);
  }
});

it('keeps two servers in one process apart', async () => {
  const [one, other] = [new Metrics(false), new Metrics(false)];
  one.relay.of('gpt-4o').quota += 12;
  expect(await one.scrape()).toContain('tollgate_quota_charged_total{model="gpt-4o"} 12');
  expect(await other.scrape()).not.toContain('gpt-4o');
});

it('adds up relay calls between scrapes', async () => {
  const metrics = new Metrics(false);
  metrics.relay.underWay('chat', 1);
  for (const outcome of ['ok', 'ok', 'client_gone']) {
    const tally = metrics.relay.of('gpt-4o');
    tally.promptTokens += 10;
    tally.completionTokens += 5;
    tally.finished('chat', outcome);
  }
  const first = await metrics.scrape();
  expect(first).toContain('tollgate_relay_calls_total{route="chat",model="gpt-4o",outcome="ok"} 2');
  expect(first).toContain('tollgate_relay_calls_total{route="chat",model="gpt-4o",outcome="client_gone"} 1');
  expect(first).toContain('tollgate_tokens_total{model="gpt-4o",kind="prompt"} 30');
  expect(first).not.toContain('kind="cached"');
  expect(first).toContain('tollgate_relay_calls_active{route="chat"} 1');
  metrics.relay.underWay('chat', -1);
  metrics.relay.of('gpt-4o').finished('chat', 'ok');
  const second = await metrics.scrape();
  expect(second).toContain('tollgate_relay_calls_total{route="chat",model="gpt-4o",outcome="ok"} 3');
  expect(second).toContain('tollgate_tokens_total{model="gpt-4o",kind="prompt"} 30');
  expect(second).toContain('tollgate_relay_calls_active{route="chat"} 0');
});

it('has every duration of a relay call at a scrape, once', async () => {
  const metrics = new Metrics(false);
  for (let call = 0; call < 300; call++) metrics.relayDuration.observe('chat', false, 0.03);
  metrics.relayDuration.observe('chat', true, 7);
  for (const _scrape of [1, 2]) {
    const text = await metrics.scrape();
    expect(text).toContain('tollgate_relay_duration_seconds_count{route="chat",stream="false"} 300');
    expect(text).toContain('tollgate_relay_duration_seconds_bucket{le="0.05",route="chat",stream="false"} 300');
    expect(text).toContain('tollgate_relay_duration_seconds_sum{route="chat",stream="true"} 7');
  }
});

it('bounds the values of a label', () => {
  const metrics = new Metrics(false);
  const values = Array.from({ length: 1000 }, (_unused, index) => metrics.knownLabel('model', `model-${index}`));
  expect(new Set(values).size).toBe(301);
  expect(metrics.knownLabel('model', 'model-5')).toBe('model-5');
  expect(metrics.knownLabel('model', 'new')).toBe('other');
  expect(metrics.knownLabel('route', 'new')).toBe('new');
});

it('bounds the models that calls are counted by', async () => {
  const metrics = new Metrics(false);
  for (let index = 0; index < 1000; index++) metrics.relay.of(`model-${index}`).finished('chat', 'ok');
  metrics.relay.of('none').finished('chat', 'ok');
  const counted = (await metrics.scrape()).match(/^tollgate_relay_calls_total\{.*$/gm) ?? [];
  expect(counted).toHaveLength(302);
  expect(counted).toContainEqual('tollgate_relay_calls_total{route="chat",model="other",outcome="ok"} 700');
  expect(counted).toContainEqual('tollgate_relay_calls_total{route="chat",model="none",outcome="ok"} 1');
});

describe('watchPool', () => {
  it('measures waits of every way to a connection and shows who waits', async () => {
    const pool = new pg.Pool({ connectionString: process.env.TEST_DATABASE_URL, max: 1 });
    const metrics = new Metrics(false);
    watchPool(pool, 'test', metrics);
    try {
      const held = await pool.connect();
      const waiting = pool.query('SELECT 1 AS one');
      await new Promise((resolve) => setTimeout(resolve, 120));
      expect(await metrics.scrape()).toContain('tollgate_database_pool_connections{pool="test",state="waiting"} 1');
      held.release();
      expect((await waiting).rows).toEqual([{ one: 1 }]);
      const text = await metrics.scrape();
      expect(text).toContain('tollgate_database_pool_wait_seconds_count{pool="test"} 2');
      const sum = Number(/tollgate_database_pool_wait_seconds_sum\{pool="test"\} (\S+)/.exec(text)?.[1]);
      expect(sum).toBeGreaterThan(0.1);
    } finally {
      await pool.end();
    }
  });

  it('passes failures on', async () => {
    const pool = new pg.Pool({ connectionString: 'postgres://x@127.0.0.1:1/x' });
    watchPool(pool, 'test', new Metrics(false));
    await expect(pool.connect()).rejects.toThrow('ECONNREFUSED');
    await expect(pool.query('SELECT 1')).rejects.toThrow('ECONNREFUSED');
    await pool.end();
  });
});
