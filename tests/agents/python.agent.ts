/** Python SDKs of today through Tollgate at every kind of channel in `kinds.ts`. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RelayHarness } from '../contract/relay-harness.js';
import { kinds, openKind, type OpenedKind, type Refusals } from './kinds.js';
import { refusal, secret } from './model.js';

const packages = ['openai==3.54.0', 'anthropic==2.12.0', 'google-genai==3.4.0', 'langchain-openai==1.7.3'];
const sdks = ['chat', 'responses', 'anthropic', 'google', 'langchain'];
const script = join(import.meta.dirname, 'python_sdks.py');
const run = promisify(execFile);
/** A call of a model that may hide output is read on after its client has left; this one hides none. */
const asked = 'gpt-4o';

let relay: RelayHarness;
const kept = process.env['AGENTS_FOLDER'];
const folder = kept ? join(kept, 'python') : mkdtempSync(join(tmpdir(), 'tollgate-python-'));
const python = join(folder, 'bin/python');

beforeAll(async () => {
  if (!existsSync(python)) {
    execFileSync('python3', ['-m', 'venv', folder]);
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', ...packages], { stdio: 'pipe' });
  }
  relay = await RelayHarness.start({ settings: { maxBodyBytes: 64 * 1024 * 1024 } });
  relay.setOptions({ SelfUseModeEnabled: true });
}, 600_000);
afterAll(async () => {
  await relay.stop();
  if (!kept) rmSync(folder, { recursive: true, force: true });
});

const chosen = process.env['KIND']?.toLowerCase().split(',');
const isChosen = (name: string): boolean => !chosen || chosen.some((each) => name.toLowerCase().includes(each));

describe.each(kinds.filter(({ name }) => isChosen(name)).map((kind) => [kind.name, kind] as const))(
  '%s',
  (_name, kind) => {
    const refusals: Refusals = { texts: [] };
    let key: string;
    let opened: OpenedKind;

    beforeAll(async () => {
      relay.upstream.reset();
      await relay.clearChannels();
      opened = await openKind(kind, relay.upstream, '/project', refusals);
      const mapping = JSON.stringify({ [asked]: kind.model });
      await relay.addChannel({ ...opened.channel, models: asked, mapping });
      ({ key } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000_000 }) }));
    });
    afterAll(() => opened.stop());

    const said = async (sdk: string, feature: string): Promise<object> => {
      const { stdout } = await run(python, [script, sdk, feature, relay.url, key, asked]).catch((error: unknown) => ({
        stdout: String(error),
      }));
      return { refusals: refusals.texts.splice(0), stdout };
    };
    const good = (text: string): object => ({ refusals: [], stdout: expect.stringContaining(text) as string });

    const twoTurns = kind.onlyTalks
      ? '%s talks in two turns, without its tools'
      : '%s calls a tool and goes on in a second turn';
    it.each(sdks)(twoTurns, async (sdk) => {
      const [feature, given] = kind.onlyTalks ? ['talk', refusal] : ['tool', secret];
      expect(await said(sdk, feature ?? '')).toEqual(good(kind.forgets ? 'I forgot it.' : `Once more: ${given}`));
    });

    // Nothing of a provider without streams arrives that a client could leave after.
    (kind.onlyWhole ? it.skip : it).each(sdks)(
      '%s leaves in the middle of a stream, and so does the upstream',
      async (sdk) => {
        expect(await said(sdk, 'slow')).toEqual(good('left'));
        const request = relay.upstream.requests.findLast(({ rawBody }) => rawBody.includes('<<SLOW>>'));
        await request?.ended;
        expect(request?.aborted).toBe(true);
      },
    );

    it.each(sdks)(kind.sees ? '%s shows an image' : '%s is refused an image, with the reason', async (sdk) => {
      if (kind.sees) expect(await said(sdk, 'image')).toEqual(good('I see a red dot.'));
      else
        expect(await said(sdk, 'image')).toMatchObject({
          stdout: expect.stringMatching(kind.blind ?? /never/) as string,
        });
    });
  },
);
