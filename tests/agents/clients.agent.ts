/** The blocks of docs/clients as they stand there: in Python with the packages of PyPI, and OpenCode's file with the program. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RelayHarness } from '../contract/relay-harness.js';
import { chat } from '../support/upstream/replies.js';
import { pythonOf } from './install.js';
import { openWorkplace, run as runProgram } from './program.js';
import { llamaIndex, openCodeChat, python } from './programs.js';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

let relay: RelayHarness;
let key: string;
beforeAll(async () => {
  relay = await RelayHarness.start();
  await relay.addChannel({ type: 1, models: 'gpt-4o', baseUrl: relay.upstream.url });
  ({ key } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000 }) }));
  relay.upstream.script({}, chat({ text: ['Galaxy Day'], usage: { prompt_tokens: 10, completion_tokens: 5 } }));
});
afterAll(() => relay.stop());

const blocksOf = (page: string, language: string): string[] =>
  [...readFileSync(join(root, 'docs/clients', page), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)]
    .filter(([, found]) => found === language)
    .map(([, , text = '']) =>
      text.replaceAll('https://tollgate.example.com', relay.url).replaceAll('sk-your-key', key),
    );

it.each([
  ['python.md', 0, python],
  ['python.md', 1, python],
  ['langchain.md', 0, python],
  ['llamaindex.md', 0, llamaIndex],
])('%s: Python block %i gets a response', async (page, index, packages) => {
  const block = blocksOf(page, 'python')[index];
  expect(block).toBeDefined();
  const { stdout } = await run(pythonOf(packages), ['-c', block!]);
  expect(stdout).toContain('Galaxy Day');
});

it('opencode.md: the program asks the model that the file names', async () => {
  const place = openWorkplace();
  try {
    const [block, ...others] = blocksOf('opencode.md', 'json');
    expect(others).toEqual([]);
    const settings = join(place.home, '.config/opencode');
    mkdirSync(settings, { recursive: true });
    writeFileSync(join(settings, 'opencode.json'), block!);
    const prompt = 'Invent a holiday.';
    const ran = await runProgram(openCodeChat, place, { url: relay.url, key }, { prompt });
    expect(ran).toEqual({ code: 0, output: expect.stringContaining('Galaxy Day\n') as string });
    expect(relay.upstream.requests.some(({ rawBody }) => rawBody.includes(prompt))).toBe(true);
  } finally {
    place.remove();
  }
});
