/** Real coding agents through Tollgate at every kind of channel in `kinds.ts`. */
import { RelayHarness } from '../contract/relay-harness.js';
import { kinds, openKind, type Kind, type OpenedKind, type Refusals } from './kinds.js';
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
      firstByteTimeout: 60_000,
      idleTimeout: 60_000,
      totalTimeout: 8000,
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

/** Tools that the log names as left out. */
async function droppedTools(userId: number): Promise<string[]> {
  await relay.idle();
  const rows = await relay.logs(userId);
  return rows
    .flatMap(({ other }) => (other['dropped_parameters'] as string[] | undefined) ?? [])
    .filter((name) => /tools/.test(name));
}

const wanted = (name: string, filter: string | undefined): boolean =>
  !filter || filter.split(',').some((each) => name.toLowerCase().includes(each.toLowerCase()));
const chosenPrograms = programs.filter(({ name }) => wanted(name, process.env['AGENT']));
const chosenKinds = kinds.filter(({ name }) => wanted(name, process.env['KIND']));

describe.each(chosenPrograms.map((program) => [program.name, program] as const))('%s', (_name, program) => {
  describe.each(chosenKinds.map((kind) => [kind.name, kind] as const))('at %s', (_kind, kind) => {
    let place: Workplace;
    let key: string;
    let userId: number;
    let refusals: Refusals;
    let opened: OpenedKind;

    beforeAll(async () => {
      place = openWorkplace();
      refusals = { texts: [] };
      relay.upstream.reset();
      recorder.sent.length = 0;
      recorder.sockets.length = 0;
      await relay.clearChannels();
      opened = await openKind(kind, relay.upstream, place.project, refusals);
      await addChannel(program, kind, opened);
      userId = await relay.addUser({ quota: 1_000_000_000_000 });
      ({ key } = await relay.addToken({ userId }));
    });
    afterAll(async () => {
      if (!program.overSocket) record(program.name, place.home, recorder.sent);
      place.remove();
      await relay.idle();
      await opened.stop();
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
      if (kind.onlyTalks) expect(await droppedTools(userId)).not.toEqual([]);
      expect(recorder.sockets.length > 0).toBe(program.overSocket ?? false);
    });

    it(kind.forgets ? 'asks again, without what was said before' : 'goes on in a second turn', async () => {
      const said = kind.forgets ? 'I forgot it.' : `Once more: ${given}`;
      expectSaid(await run({ prompt: '<<AGAIN>> Say the word once more.', resume: true }), said);
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

    const look = (): Promise<Ran> => run({ prompt: '<<LOOK>> Look at picture.png.', image: true });
    // Claude Code shows images through a tool, which is the one that is left out.
    const shows = !(kind.onlyTalks && program === claudeCode);
    if (!shows) it('cannot show an image without its tool', async () => expectSaid(await look(), 'I see nothing.'));
    else if (kind.sees) it('shows an image', async () => expectSaid(await look(), 'I see a red dot.'));
    else
      it('is refused an image, with the reason', async () =>
        expect((await look()).output).toMatch(kind.blind ?? /never/));
  });
});

async function addChannel(program: Program, kind: Kind, { channel }: OpenedKind): Promise<void> {
  const models = [
    ...new Set([program.model, 'claude-haiku-4-5-20251001', 'claude-sonnet-4-5', 'gemini-2.5-flash-lite']),
  ];
  const mapping = Object.fromEntries(models.map((model) => [model, kind.model]));
  await relay.addChannel({
    ...channel,
    models: models.join(),
    mapping: JSON.stringify(mapping),
  });
}

async function until<T>(find: () => T | undefined): Promise<T> {
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
