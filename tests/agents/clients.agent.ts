/** The blocks of docs/clients as they stand there: in Python with the packages of PyPI, and OpenCode's file with the program. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RelayHarness } from '../contract/relay-harness.js';
import { chat } from '../support/upstream/replies.js';

/** Apart, because they need different versions of OpenAI's package. */
const pythonPackages = {
  python: ['openai==3.54.0', 'anthropic==2.12.0', 'langchain-openai==1.7.3'],
  llama: ['llama-index-llms-openai-like==0.8.1'],
};
const openCode = 'opencode-ai@1.18.33';
const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const kept = process.env['AGENTS_FOLDER'];
const folder = kept ? join(kept, 'clients') : mkdtempSync(join(tmpdir(), 'tollgate-clients-'));
const openCodeProgram = join(folder, 'npm/node_modules/.bin/opencode');
const pythonOf = (name: string): string => join(folder, name, 'bin/python');

let relay: RelayHarness;
let key: string;
beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  for (const [name, packages] of Object.entries(pythonPackages)) {
    if (existsSync(pythonOf(name))) continue;
    execFileSync('python3', ['-m', 'venv', join(folder, name)]);
    execFileSync(pythonOf(name), ['-m', 'pip', 'install', '--quiet', ...packages], { stdio: 'pipe' });
  }
  if (!existsSync(openCodeProgram)) {
    mkdirSync(join(folder, 'npm'), { recursive: true });
    writeFileSync(join(folder, 'npm/package.json'), '{"private":true}');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', openCode], { cwd: join(folder, 'npm'), stdio: 'pipe' });
  }
  relay = await RelayHarness.start();
  await relay.addChannel({ type: 1, models: 'gpt-4o', baseUrl: relay.upstream.url });
  ({ key } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000 }) }));
  relay.upstream.script({}, chat({ text: ['Galaxy Day'], usage: { prompt_tokens: 10, completion_tokens: 5 } }));
}, 600_000);
afterAll(async () => {
  await relay.stop();
  if (!kept) rmSync(folder, { recursive: true, force: true });
});

const blocksOf = (page: string, language: string): string[] =>
  [...readFileSync(join(root, 'docs/clients', page), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)]
    .filter(([, found]) => found === language)
    .map(([, , text = '']) =>
      text.replaceAll('https://tollgate.example.com', relay.url).replaceAll('sk-your-key', key),
    );

it.each([
  ['python.md', 0, 'python'],
  ['python.md', 1, 'python'],
  ['langchain.md', 0, 'python'],
  ['llamaindex.md', 0, 'llama'],
])('%s: Python block %i gets a response', async (page, index, packages) => {
  const block = blocksOf(page, 'python')[index];
  expect(block).toBeDefined();
  const { stdout } = await run(pythonOf(packages), ['-c', block!]);
  expect(stdout).toContain('Galaxy Day');
});

it('opencode.md: the program asks the model that the file names', async () => {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-opencode-'));
  try {
    const settings = join(home, '.config/opencode');
    mkdirSync(settings, { recursive: true });
    const [block, ...others] = blocksOf('opencode.md', 'json');
    expect(others).toEqual([]);
    writeFileSync(join(settings, 'opencode.json'), block!);
    mkdirSync(join(home, 'project'));
    // With another standard input than a terminal it reads that to its end before it begins.
    const child = spawn(openCodeProgram, ['run', 'Invent a holiday.'], {
      cwd: join(home, 'project'),
      env: { PATH: process.env.PATH, HOME: home, OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 120_000,
    });
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    expect({ code: code as unknown, output, errors }).toMatchObject({ code: 0, output: 'Galaxy Day\n' });
    const asked = relay.upstream.requests
      .map(({ rawBody }) => rawBody)
      .filter((body) => body.includes('Invent a holiday.'));
    expect(asked.length).toBeGreaterThan(0);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
