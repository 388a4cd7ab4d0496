import pg from 'pg';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import { googleCertificate, startGoogle, type GoogleHosts } from '../agents/vertex.js';
import { eventually } from '../support/task-site.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { scriptGoogleTokens, vertexVideos } from '../support/upstream/vertex-videos.js';
import { scriptVideos } from '../support/upstream/videos.js';
import { buildServer } from './boot-support.js';

/** Videos of Veo at Vertex AI, from a client's socket to Google's hosts. */

jest.setTimeout(90_000);

const { model } = vertexVideos;
let upstream: Upstream;
let google: GoogleHosts;
let server: SpawnedServer;
let pool: pg.Pool;
let key: string;
const states = new Map<string, object>();

beforeAll(async () => {
  buildServer();
  upstream = await startUpstream();
  google = await startGoogle(upstream.url);
  const environment = { NODE_EXTRA_CA_CERTS: googleCertificate, TASK_POLL_INTERVAL: '1' };
  server = await spawnServer({ environment });
  pool = new pg.Pool({ connectionString: server.database.url, max: 2 });
  pool.on('error', () => undefined);
  const { api } = server;
  const root = await api.setUp();
  const { key: account, ...more } = google.channel;
  await api.createChannel(root, { type: 41, baseUrl: '', key: account, models: [model], more });
  const express = { type: 41, baseUrl: '', key: 'AIza-an-api-key', models: ['veo-3.1-generate-001'], more };
  await api.createChannel(root, express);
  key = (await api.createToken(root)).key;
});
beforeEach(() => {
  upstream.reset();
  states.clear();
  scriptGoogleTokens(upstream);
  scriptVideos(upstream, vertexVideos, states);
});
afterEach(async () => {
  expect(await reconcile(pool)).toEqual([]);
});
afterAll(async () => {
  await pool.end();
  await server.stop();
  await google.stop();
  await upstream.stop();
});

const call = (path: string, body?: object): Promise<Response> =>
  fetch(`${server.url}/v1/videos${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
const submit = async (more: object = {}): Promise<string> => {
  const response = await call('', { model, prompt: 'a lighthouse', seconds: '8', size: '1280x720', ...more });
  const made = (await response.json()) as { id: string };
  expect([response.status, made]).toEqual([200, expect.objectContaining({ status: 'queued' })]);
  return made.id;
};
const ended = (id: string): Promise<{ status: string; error: unknown }> =>
  eventually(
    async () => (await (await call(`/${id}`)).json()) as { status: string; error: unknown },
    ({ status }) => status === 'completed' || status === 'failed',
  );
const rowOf = async (id: string): Promise<{ quota: number; stored: number }> =>
  (
    await pool.query<{ quota: number; stored: number }>(
      'SELECT quota::integer AS quota, length(data::text) AS stored FROM tasks WHERE task_id = $1',
      [id],
    )
  ).rows[0]!;
/** Larger than any response that is read as a whole. */
const movie = Buffer.alloc(13 * 1024 * 1024, '\0\0\0\x18ftypmp42 the bytes of a video');

it('are charged by the second, followed, and read from the report of their provider', async () => {
  const id = await submit({ negative_prompt: 'fog', input_reference: 'data:image/png;base64,aGk=' });
  const sent = upstream.requests.find(({ path }) => path.endsWith(':predictLongRunning'));
  expect(sent?.body).toEqual({
    instances: [{ prompt: 'a lighthouse', image: { bytesBase64Encoded: 'aGk=', mimeType: 'image/png' } }],
    parameters: {
      durationSeconds: 8,
      resolution: '720p',
      sampleCount: 1,
      aspectRatio: '16:9',
      negativePrompt: 'fog',
      generateAudio: true,
    },
  });
  states.set('job-1', vertexVideos.done('job-1', movie.toString('latin1')));
  expect(await ended(id)).toMatchObject({ status: 'completed' });
  const { quota, stored } = await rowOf(id);
  expect(quota).toBe(8 * 0.1 * 500_000);
  expect(stored).toBeLessThan(2000);
  const content = await call(`/${id}/content`);
  expect([content.status, content.headers.get('content-type')]).toEqual([200, 'video/mp4']);
  expect(Buffer.from(await content.arrayBuffer()).equals(movie)).toBe(true);
  expect((await call(`/${id}/content?variant=thumbnail`)).status).toBe(400);
  // One token for all of it.
  expect(upstream.requests.filter(({ path }) => path === '/token').length).toBeLessThanOrEqual(1);
});

it('that fail give back what they cost', async () => {
  const id = await submit();
  states.set('job-1', vertexVideos.failed('job-1', 'the prompt was filtered'));
  expect(await ended(id)).toMatchObject({ status: 'failed', error: { message: 'the prompt was filtered' } });
  const { rows } = await pool.query(`SELECT amount::integer FROM ledger_entries WHERE kind = 'refund'`);
  expect(rows).toContainEqual({ amount: 8 * 0.1 * 500_000 });
});

it('whose bytes are no longer at the provider are an error', async () => {
  const id = await submit();
  states.set('job-1', vertexVideos.done('job-1', 'a movie'));
  await ended(id);
  states.set('job-1', vertexVideos.running('job-1'));
  const content = await call(`/${id}/content`);
  expect(content.status).toBe(502);
  expect(await content.json()).toMatchObject({ error: { message: expect.stringMatching(/no video/) as unknown } });
});

it('of an API key are refused, because Vertex makes them for service accounts', async () => {
  const refused = await call('', { model: 'veo-3.1-generate-001', prompt: 'a lighthouse' });
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { error: expect.objectContaining({ code: 'unsupported_by_channel' }) as unknown },
  ]);
  expect(upstream.requests).toEqual([]);
});
