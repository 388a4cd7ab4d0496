import { refuses, says } from '../../support/upstream/families.js';
import { draws, embeds, hears, speaks } from '../../support/upstream/one-shots.js';
import type { Reply } from '../../support/upstream/upstream.js';
import {
  isAbsent,
  paris,
  picture,
  toolResult,
  type Family,
  type Place,
  type Results,
  type SdkClient,
} from './sdk-client.js';
import { chat, familiesOf, startSdkSite, type SdkSite } from './sdk-site.js';
import { toolHistory } from './tool-history.js';

type Feature = keyof Results;

const hello = 'Hello from afar';
const called = [{ name: 'weather', input: paris }];
/** Numbers that survive being sent as 32 bits. */
const vectors = [
  [0.25, -0.5, 1],
  [0.5, 0.125, -1],
];
const sound = Buffer.from([73, 68, 51, 4, 0, 255, 0, 17]);
const told = { text: hello, prompt: 20, completion: 10 };
const weatherCall = says({ text: '', tool: { name: 'weather', input: paris } });
const sunny = says({ text: 'It is sunny.' });

/** The provider's replies for each feature. */
const scripts: { readonly [F in Feature]: readonly [Reply, ...Reply[]] } = {
  chat: [says({ text: hello })],
  stream: [says({ text: hello })],
  tools: [weatherCall, sunny],
  streamedTools: [weatherCall, sunny],
  vision: [says({ text: 'A dot.' })],
  json: [says({ text: '', object: paris })],
  responses: [says({ text: hello }), says({ text: hello }), weatherCall, sunny],
  embeddings: [embeds(vectors)],
  images: [draws(picture)],
  speech: [speaks(sound)],
  transcription: [hears('Good morning.')],
};

/** The result the program must get, and the request the provider must have received. */
const expected: { readonly [F in Feature]: (result: Results[F], site: SdkSite) => void } = {
  chat: (result) => expect(result).toEqual(told),
  stream: ({ pieces, ...result }) => {
    expect(result).toEqual(told);
    expect(pieces).toBeGreaterThan(1);
  },
  tools: expectTools,
  streamedTools: expectTools,
  vision: (result, { lastRequest }) => {
    expect(result).toBe('A dot.');
    expect(lastRequest().rawBody.toString()).toContain(picture);
  },
  json: (result, { lastRequest }) => {
    expect(result).toEqual(paris);
    // The schema itself was sent, and not only the request for JSON.
    expect(lastRequest().rawBody.toString()).toMatch(/"city":\{"type":"string"/i);
  },
  responses: ({ streamed, calls, answer, ...result }, site) => {
    expect(result).toEqual(told);
    expect(streamed).toBe(hello);
    expectTools({ calls, answer }, site);
  },
  embeddings: (result) => expect(result).toEqual(vectors),
  images: (result) => expect(result).toEqual([picture]),
  speech: (result) => expect([...result]).toEqual([...sound]),
  transcription: (result) => expect(result).toBe('Good morning.'),
};

function expectTools({ calls, answer }: Results['tools'], { lastRequest }: SdkSite): void {
  expect(calls).toEqual(called);
  expect(answer).toBe('It is sunny.');
  const history = toolHistory(lastRequest());
  expect(history.calls).toHaveLength(1);
  expect(history.results.map(({ call }) => call)).toEqual(history.calls);
  expect(history.results[0]?.text).toContain(toolResult);
}

const features = Object.keys(scripts) as Feature[];
const statuses = [400, 403, 404, 429, 500];

/** Tests every feature of a package at every family that has it. Missing features are listed. */
export function testClient(client: SdkClient): void {
  let site: SdkSite;
  beforeAll(async () => {
    site = await startSdkSite();
  });
  afterAll(() => site.stop());
  beforeEach(() => site.upstream.reset());

  const placeOf = ({ model }: Family): Place => ({ url: site.server.url, key: site.key, model });

  for (const feature of features) {
    describe(feature, () => testFeature(feature));
  }

  function testFeature<F extends Feature>(feature: F): void {
    const cell = client.features[feature];
    if (isAbsent(cell)) {
      it(`is not in the package: ${cell.absent}`, () => expect(cell.proof()).toBe(true));
      return;
    }
    const refused = client.refused?.[feature];
    const families = client.families?.[feature] ?? familiesOf[feature];
    for (const family of families) {
      if (refused?.at.includes(family.name)) {
        it(`${family.name} refuses it, naming ${refused.field}`, async () => {
          const error = await cell(placeOf(family)).then(
            () => null,
            (thrown: unknown) => thrown,
          );
          expect(client.isTyped(error, 400)).toBe(true);
          expect((error as Error).message).toContain(refused.field);
          expect(site.upstream.requests).toEqual([]);
        });
        continue;
      }
      it(`at ${family.name}`, async () => {
        const [first, ...more] = client.scripts?.[feature] ?? scripts[feature];
        site.upstream.script({}, first, ...more);
        expected[feature](await cell(placeOf(family)), site);
      });
    }
  }

  describe.each(chat)('errors at $name', (family) => {
    afterEach(() => site.clearCooldowns());

    it.each(statuses)('%i has its class', async (status) => {
      site.upstream.script({}, refuses(status, 'that is wrong'));
      const error = await client.fail(placeOf(family));
      expect(client.isTyped(error, status)).toBe(true);
    });

    it('a key that nobody knows has its class', async () => {
      const error = await client.fail({ ...placeOf(family), key: 'sk-unknown' });
      expect(client.isTyped(error, 401)).toBe(true);
      expect(site.upstream.requests).toEqual([]);
    });
  });

  it.each(chat)('leaves, and $name is let go within a second', async (family) => {
    site.upstream.script({}, says({ text: 'word '.repeat(300), gapMilliseconds: 20 }));
    await client.leave(placeOf(family));
    const leftAt = Date.now();
    const request = site.lastRequest();
    await request.ended;
    expect(Date.now() - leftAt).toBeLessThan(1000);
    expect(request.aborted).toBe(true);
  });
}
