/** Real coding agents through Tollgate at every kind of channel in `kinds.ts`. */
import { RelayHarness } from '../contract/relay-harness.js';
import { kinds, replyOf, type Kind, type Refusals } from './kinds.js';
import { refusal, secret } from './model.js';
import {
  claudeCode,
  installAgents,
  openWorkplace,
  programs,
  type Program,
  type Ran,
  type Step,
  type Workplace,
} from './programs.js';
import { record, startRecorder, type Recorder } from './recordings.js';

let relay: RelayHarness;
let agents: ReturnType<typeof installAgents>;
let recorder: Recorder;

beforeAll(async () => {
  agents = installAgents();
  relay = await RelayHarness.start({
    // A call of a model that may hide output is read on for all of its time after its client has left.
    settings: {
      ...{ firstByteTimeout: 60_000, idleTimeout: 60_000, totalTimeout: 8000 },
      maxBodyBytes: 64 * 1024 * 1024,
    },
  });
  relay.setOptions({ SelfUseModeEnabled: true });
  recorder = await startRecorder(relay.url);
}, 600_000);
afterAll(async () => {
  await recorder.stop();
  await relay.stop();
  agents.remove();
});

const wanted = (name: string, filter: string | undefined): boolean =>
  !filter || filter.split(',').some((each) => name.toLowerCase().includes(each.toLowerCase()));
const chosenPrograms = programs.filter(({ name }) => wanted(name, process.env['AGENT']));
const chosenKinds = kinds.filter(({ name }) => wanted(name, process.env['KIND']));

describe.each(chosenPrograms.map((program) => [program.name, program] as const))('%s', (_name, program) => {
  describe.each(chosenKinds.map((kind) => [kind.name, kind] as const))('at %s', (_kind, kind) => {
    let place: Workplace;
    let key: string;
    let refusals: Refusals;

    beforeAll(async () => {
      place = openWorkplace();
      refusals = { texts: [] };
      relay.upstream.reset();
      recorder.sent.length = 0;
      recorder.sockets.length = 0;
      await relay.clearChannels();
      await addChannel(program, kind);
      ({ key } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000_000 }) }));
      relay.upstream.script({}, replyOf(kind, place.project, refusals));
    });
    afterAll(async () => {
      if (!program.overSocket) record(program.name, place.home, recorder.sent);
      place.remove();
      await relay.idle();
      expect(await relay.openReservations()).toBe(0);
      expect(await relay.drift()).toEqual([]);
    });

    const run = (step: Step): Promise<Ran> => program.run(agents.folder, place, { url: recorder.url, key }, step);
    const expectSaid = ({ output }: Ran, text: string): void =>
      expect({ refusals: refusals.texts, output }).toEqual({
        refusals: [],
        output: expect.stringContaining(text) as string,
      });

    const given = kind.onlyTalks ? refusal : secret;

    it(kind.onlyTalks ? 'talks, without its tools' : 'calls a tool and answers with what it gave', async () => {
      expectSaid(await run({ prompt: '<<READ>> Read notes.txt and tell me the word.' }), given);
      expect(recorder.sockets.length > 0).toBe(program.overSocket ?? false);
    });

    it('goes on in a second turn', async () => {
      expectSaid(await run({ prompt: '<<AGAIN>> Say the word once more.', resume: true }), `Once more: ${given}`);
    });

    it('is interrupted, and the upstream with it', async () => {
      const before = relay.upstream.requests.length;
      const slow = until(() =>
        relay.upstream.requests.slice(before).find(({ rawBody }) => rawBody.includes('<<SLOW>>')),
      );
      const ran = run({ prompt: '<<SLOW>> Tell me everything.', interrupt: slow });
      const request = await slow;
      await ran;
      await request.ended;
      expect(request.aborted).toBe(true);
    });

    // Claude Code shows images through a tool.
    const shows = kind.sees && !(kind.onlyTalks && program === claudeCode);
    (shows ? it : it.skip)('shows an image', async () => {
      expectSaid(await run({ prompt: '<<LOOK>> Look at picture.png.', image: true }), 'I see a red dot.');
    });
  });
});

async function addChannel(program: Program, kind: Kind): Promise<void> {
  const models = [
    ...new Set([program.model, 'claude-haiku-4-5-20251001', 'claude-sonnet-4-5', 'gemini-2.5-flash-lite']),
  ];
  const mapping = Object.fromEntries(models.map((model) => [model, kind.model]));
  await relay.addChannel({
    type: kind.type,
    models: models.join(),
    mapping: JSON.stringify(mapping),
    baseUrl: relay.upstream.url + (kind.base ?? ''),
    ...(kind.key === undefined ? {} : { key: kind.key }),
    ...(kind.other === undefined ? {} : { other: kind.other }),
  });
}

async function until<T>(find: () => T | undefined): Promise<T> {
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
