/** The blocks of docs/clients as they stand there: in Python with the packages of PyPI, and files of Codex and OpenCode with the programs. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RelayHarness } from '../contract/relay-harness.js';
import { chat } from '../support/upstream/replies.js';
import { pythonOf } from './install.js';
import { openWorkplace, run as runProgram, setUp } from './program.js';
import { llamaIndex, openCodeChat, programs, python } from './programs.js';
import { startRecorder } from './recordings.js';

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

it('codex.md: with a command for its key, Codex reads the list of models and keeps its own instructions', async () => {
  const program = programs.find(({ name }) => name === 'Codex CLI')!;
  const place = openWorkplace();
  const recorder = await startRecorder(relay.url);
  await relay.addChannel({ type: 43, models: 'deepseek-chat', baseUrl: relay.upstream.url });
  const gateway = { url: recorder.url, key };
  try {
    await setUp(program, place, gateway);
    const settings = join(place.home, '.codex/config.toml');
    const command = `[model_providers.tollgate.auth]\ncommand = "echo"\nargs = ["${key}"]`;
    const unknown = readFileSync(settings, 'utf8').replace('model = "gpt-5"', 'model = "deepseek-chat"');
    writeFileSync(settings, unknown.replace(/^env_key = .*$/m, '').replace('[analytics]', `${command}\n[analytics]`));
    const { output } = await runProgram(program, place, gateway, { prompt: 'Invent a holiday.' });
    expect(output).toContain('Galaxy Day');
    expect(output).not.toContain('failed to refresh available models');
    const lists = recorder.sent.filter(({ path }) => path.includes('/models?client_version='));
    expect(lists.length).toBeGreaterThan(0);
    const asked = recorder.sent.find(({ path }) => path.endsWith('/responses'));
    expect(JSON.stringify(asked?.body)).toContain('You are a coding agent running in the Codex CLI');
  } finally {
    await recorder.stop();
    place.remove();
  }
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
