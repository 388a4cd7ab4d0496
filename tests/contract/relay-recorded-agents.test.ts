/**
 * Sends requests that coding agents really sent (`npm run test:agents` with AGENTS_RECORD) to every kind of channel with
 * chat. The scripted providers refuse everything that the real providers refuse.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kinds, openKind, type OpenedKind, Refusals } from '../agents/kinds.js';
import { adapters } from '../support/relay-dialects.js';
import { isFullSuite } from '../support/suite.js';
import { type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
let opened: OpenedKind | null = null;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });

afterEach(async () => {
  await opened?.stop();
  opened = null;
});

interface Recorded {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown>;
}

const folder = join(import.meta.dirname, '../recorded/agents');
const recordings = readdirSync(folder).map((file, turn): [string, Recorded[], number] => [
  file.replace('.json', ''),
  JSON.parse(readFileSync(join(folder, file), 'utf8')) as Recorded[],
  turn,
]);

it('has a kind for every type of channel that can chat', () => {
  const spoken = Object.entries(adapters).flatMap(([type, { conversation }]) => (conversation ? [Number(type)] : []));
  const covered = new Set(kinds.map(({ type }) => type));
  expect(spoken.filter((type) => !covered.has(type))).toEqual([]);
});

const modelOf = ({ path, body }: Recorded): string =>
  typeof body['model'] === 'string' ? body['model'] : decodeURIComponent(/models\/([^:]+):/.exec(path)?.[1] ?? '');
const showsImage = ({ body }: Recorded): boolean => JSON.stringify(body).includes('iVBORw0KGgo');

// `e2e/vertex.test.ts` tests the kinds at Google's hosts, because a process has to be started with the certificate of these
// hosts.
const here = kinds.filter(({ at }) => at !== 'google');

describe.each(recordings)('%s', (_agent, requests, turn) => {
  // A full suite sends every recording to every kind. Other runs send alternating halves of the recordings to each kind.
  const served = here.filter((_, index) => isFullSuite || index % 2 === turn % 2);
  it.each(served.map((kind) => [kind.name, kind] as const))('is served at %s', async (_name, kind) => {
    const refusals = new Refusals(kind.learned);
    opened = await openKind(kind, relay.upstream, '/project', refusals);
    const models = [...new Set(requests.map(modelOf))];
    await relay.addChannel({
      ...opened.channel,
      models: models.join(),
      mapping: JSON.stringify(Object.fromEntries(models.map((model) => [model, kind.model]))),
    });
    const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000_000 }) });
    let dropped = '';
    for (const request of requests.filter((each) => kind.sees || !showsImage(each))) {
      const response = await relay.post(request.path, key, request.body, { headers: request.headers });
      const text = await response.text();
      dropped += response.headers.get('x-tollgate-dropped') ?? '';
      expect({ refusals: refusals.unexpected, status: response.status, text }).toEqual({
        refusals: [],
        status: 200,
        text: expect.not.stringMatching(/"type":\s*"error"/) as string,
      });
    }
    expect(relay.upstream.requests.length).toBeGreaterThan(0);
    if (kind.onlyTalks) expect(dropped).toMatch(/tools/);
  });
});
