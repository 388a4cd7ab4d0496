/** SDKs of today through Tollgate at every kind of channel in `kinds.ts`. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { RelayHarness } from '../contract/relay-harness.js';
import { folderOf, runnerOf } from './install.js';
import { kinds, openKind, type OpenedKind, Refusals } from './kinds.js';
import { refusal, secret } from './model.js';
import { type Feature, openWorkplace, type Workplace } from './program.js';
import { sdks, type Sdk } from './programs.js';
import { startRecorder, type Recorder } from './recordings.js';
import { chosen, Results } from './results.js';
import { expectStopped, totalTimeout } from './stop.js';

const run = promisify(execFile);
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

const asking = chosen(sdks, 'AGENT').map((sdk) => [sdk.name, sdk] as const);
const ofKinds = chosen(kinds, 'KIND').map((kind) => [kind.name, kind] as const);

describe.each(ofKinds)('%s', (_name, kind) => {
  // The packages share a channel, so what one of them makes the gateway learn stays learned for the next.
  const refusals = new Refusals(kind.learned, ...asking.map(([, sdk]) => sdk.learned));
  beforeEach(() => {
    refusals.unexpected = [];
    recorder.sent.length = 0;
  });
  let key: string;
  let opened: OpenedKind;
  let place: Workplace;

  beforeAll(async () => {
    relay.upstream.reset();
    await relay.clearChannels();
    place = openWorkplace();
    opened = await openKind(kind, relay.upstream, place.project, refusals);
    const mapping = JSON.stringify({ [asked]: kind.model });
    await relay.addChannel({ ...opened.channel, models: asked, mapping });
    ({ key } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000_000 }) }));
  });
  afterAll(async () => {
    results.save();
    place.remove();
    await opened.stop();
  });

  const said = async ({ run: name, packages }: Sdk, feature: string): Promise<object> => {
    const [interpreter, script] = runnerOf(packages);
    const { stdout } = await run(interpreter, [script, name, feature, recorder.url, key, asked], {
      timeout: 60_000,
      killSignal: 'SIGKILL',
      cwd: place.project,
      env: { PATH: process.env['PATH'], HOME: place.home, SDK_FOLDER: folderOf(packages) },
    }).catch((error: unknown) => ({ stdout: String(error) }));
    return { refusals: refusals.unexpected, stdout };
  };
  const good = (text: string): object => ({ refusals: [], stdout: expect.stringContaining(text) as string });
  const shows = (feature: Feature, promise: string, check: (sdk: Sdk) => Promise<void>, result = 'yes'): void =>
    it.each(asking)(promise, (_name, sdk) => {
      const reason = sdk.leavesOut?.[feature];
      if (reason !== undefined) return results.note(sdk, kind, feature, reason);
      return results.of(sdk, kind, feature, result, () => check(sdk), refusals);
    });

  shows(
    'tool',
    kind.onlyTalks ? '%s talks in two turns, without its tools' : '%s calls a tool and goes on in a second turn',
    async (sdk) => {
      const [feature, given] = kind.onlyTalks ? ['talk', refusal] : ['tool', secret];
      const check = async (): Promise<void> =>
        expect(await said(sdk, feature)).toEqual(good(kind.forgets ? 'I forgot it.' : `Once more: ${given}`));
      // The second turn is a part of this check, and fails with it.
      await results.of(sdk, kind, 'again', kind.forgets ? 'one question at a time' : 'yes', check, refusals);
    },
    kind.onlyTalks ? 'talks without its tools' : 'yes',
  );

  // Nothing of a provider without streams arrives that a client could leave after.
  if (!kind.onlyWhole)
    shows('stop', '%s leaves in the middle of a stream, and so does the upstream', async (sdk) => {
      expect(await said(sdk, 'slow')).toEqual(good('left'));
      const request = relay.upstream.requests.findLast(({ rawBody }) => rawBody.includes('<<SLOW>>'));
      if (!request) throw new Error('nothing was asked');
      await expectStopped(relay, recorder, asked, request, opened);
    });

  if (kind.sees)
    shows('image', '%s shows an image', async (sdk) =>
      expect(await said(sdk, 'image')).toEqual(good('I see a red dot.')),
    );
  else
    shows(
      'image',
      '%s is refused an image, with the reason',
      async (sdk) =>
        expect(await said(sdk, 'image')).toMatchObject({
          stdout: expect.stringMatching(kind.blind ?? /never/) as string,
        }),
      'the model takes none, and the program shows so',
    );
});
