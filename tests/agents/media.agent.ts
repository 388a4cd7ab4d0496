/**
 * Python's SDKs make the calls of `tests/e2e/sdk-media.test.ts`: OpenAI's all of them, and LiteLLM those for reranking, in the
 * forms of Cohere and Jina.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { callsOf, mediaCells, modelOf } from '../e2e/clients/media-calls.js';
import { startMediaSite, type MediaSite } from '../e2e/clients/media-site.js';
import { dot, recordedSeconds, type MediaCell } from '../support/upstream/media.js';
import { wav } from '../support/wav.js';
import { pythonOf } from './install.js';
import { litellm, openai } from './programs.js';

const cells = mediaCells();
let site: MediaSite;

beforeAll(async () => {
  site = await startMediaSite(cells);
});
afterAll(() => site.stop());

/** A recording that is short enough for a command line. */
const recording = wav(recordedSeconds, 1000).toString('base64');

const sdks = [
  ['openai', openai, cells.filter(({ endpoint }) => endpoint !== 'rerank')],
  ['litellm', litellm, cells.filter(({ endpoint }) => endpoint === 'rerank')],
] as const;

describe.each(sdks)('%s', (sdk, packages, own) => {
  let python: ChildProcess;
  let lines: AsyncIterator<string>;

  beforeAll(() => {
    const script = join(import.meta.dirname, 'python_media.py');
    python = spawn(pythonOf(packages), ['-W', 'ignore', script, sdk, site.url, site.key, recording, dot], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    });
    if (!python.stdout) throw new Error('no output');
    lines = createInterface(python.stdout)[Symbol.asyncIterator]();
  });
  afterAll(() => python.kill());

  it.each([...new Set(own.map(({ type }) => type))])('makes every call at type %i', async (type) => {
    const [first, ...others] = own.filter((cell) => cell.type === type);
    const opened: [MediaCell, ...MediaCell[]] = [first!, ...others];
    const script = site.open(...opened);
    const calls = opened.flatMap((cell) =>
      callsOf(cell).map((call) => ({ ...call, params: { ...call.params, model: modelOf(cell) } })),
    );
    python.stdin?.write(`${JSON.stringify(calls.map(({ method, params }) => ({ method, params })))}\n`);
    const { value: line } = await lines.next();
    expect(JSON.parse(String(line))).toEqual(
      calls.map(({ result, refused }) =>
        refused ? { refused: expect.stringMatching(refused) as string } : { result },
      ),
    );
    expect(script.refusals).toEqual(calls.flatMap(({ refusal }) => refusal ?? []));
    const charged = await site.charges(opened, script.worth.length);
    expect(charged.toSorted((one, other) => one - other)).toEqual(script.worth.toSorted((one, other) => one - other));
  });
});

it('leaves no reservation, and no charge without an explanation', async () => {
  expect(await site.faults()).toEqual([]);
});
