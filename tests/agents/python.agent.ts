/** SDKs of today through Tollgate at every kind of channel in `kinds.ts`. */
import { RelayHarness } from '../contract/relay-harness.js';
import { kinds, openKind, type OpenedKind, Refusals } from './kinds.js';
import { refusal, secret } from './model.js';
import { type Feature, openWorkplace, type Workplace } from './program.js';
import { sdks } from './programs.js';
import { startRecorder, type Recorder } from './recordings.js';
import { chosen, dueKinds, kindsToRun, Results } from './results.js';
import { SdkRunner } from './sdk-runner.js';
import { expectStopped, totalTimeout } from './stop.js';

/** A call of a model that may hide output is read on after its client has left; this one hides none. */
const asked = 'gpt-4o';

let relay: RelayHarness;
let recorder: Recorder;
const results = new Results();

beforeAll(async () => {
  relay = await RelayHarness.start({
    settings: { firstByteTimeout: 60_000, idleTimeout: 60_000, totalTimeout, maxBodyBytes: 64 * 1024 * 1024 },
  });
  relay.setOptions({ SelfUseModeEnabled: true });
  recorder = await startRecorder(relay.url);
}, 600_000);
afterAll(async () => {
  await recorder.stop();
  await relay.stop();
  results.publish();
});

const toRun = chosen(sdks, 'AGENT').map((sdk) => [sdk.name, sdk, kindsToRun(sdk, chosen(kinds, 'KIND'))] as const);
/** A run in which nothing is due asks nothing, which `describe.each` would not take. */
const asking = toRun.filter(([, , due]) => due.length > 0);

for (const [name, sdk, due] of asking)
  describe(name, () => {
    const runner = new SdkRunner(sdk);
    afterAll(() => runner.stop());

    describe.each(due.map((kind) => [kind.name, kind] as const))('at %s', (_kind, kind) => {
      const refusals = new Refusals(kind.learned, sdk.learned);
      let key: string;
      let opened: OpenedKind;
      let place: Workplace;

      beforeAll(async () => {
        relay.upstream.reset();
        recorder.sent.length = 0;
        await relay.clearChannels();
        place = openWorkplace();
        opened = await openKind(kind, relay.upstream, place.project, refusals);
        const mapping = JSON.stringify({ [asked]: kind.model });
        await relay.addChannel({ ...opened.channel, models: asked, mapping });
        ({ key } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000_000 }) }));
      });
      beforeEach(() => {
        refusals.unexpected = [];
      });
      afterAll(async () => {
        results.save();
        place.remove();
        await opened.stop();
      });

      const said = async (feature: string): Promise<object> => {
        const { home, project } = place;
        const output = await runner.ask({ feature, url: recorder.url, key, model: asked, home, project });
        return { refusals: refusals.unexpected, output };
      };
      const good = (text: string): object => ({ refusals: [], output: expect.stringContaining(text) as string });
      const shows = (feature: Feature, promise: string, check: () => Promise<void>, result = 'yes'): void => {
        const reason = sdk.leavesOut?.[feature];
        if (reason === undefined) it(promise, () => results.of(sdk, kind, feature, result, check, refusals));
        else it(`${feature}: ${reason}`, () => results.note(sdk, kind, feature, reason));
      };

      const stopsRefused = 'its stop texts are refused, and the program shows so';
      if (kind.neverStops && sdk.sendsStops)
        shows(
          'tool',
          'is refused its stop texts, with the reason',
          async () => {
            const reason = expect.stringContaining('does not support stop texts') as string;
            const check = async (): Promise<void> =>
              expect(await said('talk')).toEqual({ refusals: [], output: reason });
            await results.of(sdk, kind, 'again', stopsRefused, check, refusals);
          },
          stopsRefused,
        );
      else
        shows(
          'tool',
          kind.onlyTalks ? 'talks in two turns, without its tools' : 'calls a tool and goes on in a second turn',
          async () => {
            const [feature, given] = kind.onlyTalks ? ['talk', refusal] : ['tool', secret];
            const check = async (): Promise<void> =>
              expect(await said(feature)).toEqual(good(kind.forgets ? 'I forgot it.' : `Once more: ${given}`));
            // The second turn is a part of this check, and fails with it.
            await results.of(sdk, kind, 'again', kind.forgets ? 'one question at a time' : 'yes', check, refusals);
          },
          kind.onlyTalks ? 'talks without its tools' : 'yes',
        );

      // Nothing of a provider without streams arrives that a client could leave after.
      if (kind.onlyWhole)
        it('has no stream to leave', () => results.note(sdk, kind, 'stop', 'the provider has no streams'));
      else
        shows('stop', 'leaves in the middle of a stream, and so does the upstream', async () => {
          expect(await said('slow')).toEqual(good('left'));
          const request = relay.upstream.requests.findLast(({ rawBody }) => rawBody.includes('<<SLOW>>'));
          if (!request) throw new Error('nothing was asked');
          await expectStopped(relay, recorder, asked, request, opened);
        });

      // The tool that shows images is left out with the others.
      if (kind.onlyTalks && sdk.looksBy === 'tool')
        shows(
          'image',
          'cannot show an image without its tool',
          async () => expect(await said('image')).toEqual(good('I see nothing.')),
          'not without its tools',
        );
      else if (kind.sees)
        shows('image', 'shows an image', async () => expect(await said('image')).toEqual(good('I see a red dot.')));
      else
        shows(
          'image',
          'is refused an image, with the reason',
          async () =>
            expect(await said('image')).toMatchObject({
              output: expect.stringMatching(kind.blind ?? /never/) as string,
            }),
          'the model takes none, and the program shows so',
        );
    });
  });

it('has a result of each chosen SDK at every kind', () => {
  expect(toRun.map(([name, sdk]) => [name, dueKinds(sdk, chosen(kinds, 'KIND')).map((kind) => kind.name)])).toEqual(
    toRun.map(([name]) => [name, []]),
  );
});
