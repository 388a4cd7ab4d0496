/**
 * Requests that coding agents really sent (`npm run test:agents` with AGENTS_RECORD), at every kind of channel that can chat
 * and call tools. The scripted providers refuse what the real ones refuse.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kinds, replyOf, type Refusals } from '../agents/kinds.js';
import { type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });

interface Recorded {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown>;
}

const folder = join(import.meta.dirname, '../recorded/agents');
const recordings = readdirSync(folder).map((file): [string, Recorded[]] => [
  file.replace('.json', ''),
  JSON.parse(readFileSync(join(folder, file), 'utf8')) as Recorded[],
]);

const modelOf = ({ path, body }: Recorded): string =>
  typeof body['model'] === 'string' ? body['model'] : decodeURIComponent(/models\/([^:]+):/.exec(path)?.[1] ?? '');
const showsImage = ({ body }: Recorded): boolean => JSON.stringify(body).includes('iVBORw0KGgo');

describe.each(recordings)('%s', (_agent, requests) => {
  it.each(kinds.map((kind) => [kind.name, kind] as const))('is served at %s', async (_name, kind) => {
    const refusals: Refusals = { texts: [] };
    relay.upstream.script({}, replyOf(kind, '/project', refusals));
    const models = [...new Set(requests.map(modelOf))];
    await relay.addChannel({
      type: kind.type,
      models: models.join(),
      mapping: JSON.stringify(Object.fromEntries(models.map((model) => [model, kind.model]))),
      baseUrl: relay.upstream.url + (kind.base ?? ''),
      ...(kind.key === undefined ? {} : { key: kind.key }),
      ...(kind.other === undefined ? {} : { other: kind.other }),
    });
    const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000_000 }) });
    for (const request of requests.filter((each) => kind.sees || !showsImage(each))) {
      const response = await relay.post(request.path, key, request.body, { headers: request.headers });
      const text = await response.text();
      expect({ refusals: refusals.texts, status: response.status, text }).toEqual({
        ...{ refusals: [], status: 200 },
        text: expect.not.stringMatching(/"type":\s*"error"/) as string,
      });
    }
    expect(relay.upstream.requests.length).toBeGreaterThan(0);
  });
});
