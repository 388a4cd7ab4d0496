/** Real coding agents through Tollgate at every kind of channel in `kinds.ts`. */
import { RelayHarness } from '../contract/relay-harness.js';
import type { ReceivedRequest } from '../support/upstream/upstream.js';
import { kinds, openKind, type Kind, type OpenedKind, Refusals } from './kinds.js';
import { refusal, secret } from './model.js';
import {
  type Feature,
  type Gateway,
  openWorkplace,
  type Program,
  type Ran,
  run,
  setUp,
  type Step,
  type Workplace,
} from './program.js';
import { programs } from './programs.js';
import { record, startRecorder, type Recorder } from './recordings.js';
import { chosen, dueKinds, kindsToRun, Results } from './results.js';
import { expectStopped, totalTimeout } from './stop.js';

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

/** Tools that the log names as left out. */
async function droppedTools(userId: number): Promise<string[]> {
  await relay.idle();
  const rows = await relay.logs(userId);
  return rows
    .flatMap(({ other }) => (other['dropped_parameters'] as string[] | undefined) ?? [])
    .filter((name) => /tools/.test(name));
}

const toRun = chosen(programs, 'AGENT').map(
  (program) => [program.name, program, kindsToRun(program, chosen(kinds, 'KIND'))] as const,
);

/** A run in which nothing is due has no sessions, which `describe.each` would not take. */
const asking = toRun.filter(([, , due]) => due.length > 0);
for (const [name, program, due] of asking)
  describe(name, () => {
    describe.each(due.map((kind) => [kind.name, kind] as const))('at %s', (_kind, kind) => {
      let place: Workplace;
      let key: string;
      let userId: number;
      let refusals: Refusals;
      let opened: OpenedKind;

      beforeAll(async () => {
        place = openWorkplace();
        refusals = new Refusals(kind.learned, program.learned);
        relay.upstream.reset();
        recorder.sent.length = 0;
        recorder.sockets.length = 0;
        await relay.clearChannels();
        opened = await openKind(kind, relay.upstream, place.project, refusals);
        await addChannel(program, kind, opened);
        userId = await relay.addUser({ quota: 1_000_000_000_000 });
        ({ key } = await relay.addToken({ userId }));
        await setUp(program, place, gateway());
      });
      afterAll(async () => {
        results.save();
        if (!program.overSocket) record(program.name, place.home, recorder.sent);
        place.remove();
        await relay.idle();
        await opened.stop();
        expect(await relay.openReservations()).toBe(0);
        expect(await relay.drift()).toEqual([]);
      });

      const gateway = (): Gateway => ({ url: recorder.url, key });
      const ask = (step: Step, interrupt?: Promise<unknown>): Promise<Ran> =>
        run(program, place, gateway(), step, interrupt);
      const expectSaid = ({ output }: Ran, text: string): void =>
        expect({ refusals: refusals.unexpected, output }).toEqual({
          refusals: [],
          output: expect.stringContaining(text) as string,
        });
      const shows = (feature: Feature, promise: string, check: () => Promise<void>, result = 'yes'): void => {
        const reason = program.leavesOut?.[feature];
        if (reason === undefined) it(promise, () => results.of(program, kind, feature, result, check, refusals));
        else it(`${feature}: ${reason}`, () => results.note(program, kind, feature, reason));
      };

      const given = kind.onlyTalks ? refusal : secret;

      shows(
        'tool',
        kind.onlyTalks ? 'talks, without its tools' : 'calls a tool and answers with what it gave',
        async () => {
          expectSaid(await ask({ prompt: '<<READ>> Read notes.txt and tell me the word.' }), given);
          if (kind.onlyTalks) expect(await droppedTools(userId)).not.toEqual([]);
          expect(recorder.sockets.length > 0).toBe(program.overSocket ?? false);
        },
        kind.onlyTalks ? 'talks without its tools' : 'yes',
      );

      shows(
        'again',
        kind.forgets ? 'asks again, without what was said before' : 'goes on in a second turn',
        async () => {
          const said = kind.forgets ? 'I forgot it.' : `Once more: ${given}`;
          expectSaid(await ask({ prompt: '<<AGAIN>> Say the word once more.', resume: true }), said);
        },
        kind.forgets ? 'one question at a time' : 'yes',
      );

      shows('stop', 'is interrupted, and the upstream with it', async () => {
        const before = relay.upstream.requests.length;
        // The last: a provider may refuse the first one, and the gateway sends it again.
        const slow = (): ReceivedRequest | undefined =>
          relay.upstream.requests
            .slice(before)
            // Some programs also ask for a title, without tools.
            .findLast(
              ({ rawBody }) => rawBody.includes('<<SLOW>>') && (kind.onlyTalks || /"tools"/i.test(String(rawBody))),
            );
        await ask({ prompt: '<<SLOW>> Tell me everything.' }, until(slow));
        const request = slow();
        if (!request) throw new Error('nothing was asked');
        await expectStopped(relay, recorder, program.model, request, opened);
      });

      const look = (): Promise<Ran> => ask({ prompt: '<<LOOK>> Look at picture.png.', image: true });
      // The tool that shows images is left out with the others.
      const isBlind = kind.onlyTalks && program.looksBy === 'tool';
      if (isBlind)
        shows(
          'image',
          'cannot show an image without its tool',
          async () => expectSaid(await look(), 'I see nothing.'),
          'not without its tools',
        );
      else if (kind.sees) shows('image', 'shows an image', async () => expectSaid(await look(), 'I see a red dot.'));
      else if (program.dropsRefusedImages)
        shows(
          'image',
          'is refused an image, and goes on without it',
          async () => {
            const before = recorder.refused.length;
            const { output } = await look();
            const isRefused = recorder.refused.slice(before).some((each) => kind.blind?.test(each));
            // Qwen Code then asks what to remember of the session, with the image.
            const others = refusals.unexpected.filter((each) => !kind.blind?.test(each));
            expect({ others, isRefused, output }).toEqual({
              others: [],
              isRefused: true,
              output: expect.stringContaining('I see nothing.') as string,
            });
          },
          'the model takes none, and the program goes on without it',
        );
      else
        shows(
          'image',
          'is refused an image, with the reason',
          async () => expect((await look()).output).toMatch(kind.blind ?? /never/),
          'the model takes none, and the program shows so',
        );
    });
  });

it('has a result of each chosen program at every kind', () => {
  expect(
    toRun.map(([name, program]) => [name, dueKinds(program, chosen(kinds, 'KIND')).map((kind) => kind.name)]),
  ).toEqual(toRun.map(([name]) => [name, []]));
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
