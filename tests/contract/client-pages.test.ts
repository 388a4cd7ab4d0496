import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chat } from '../support/upstream/replies.js';
import { RelayHarness } from './relay-harness.js';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const pages = readdirSync(join(root, 'docs/clients')).filter((file) => file !== 'README.md');
const address = 'https://tollgate.example.com';
const key = 'sk-your-key';

interface Block {
  readonly language: string;
  readonly text: string;
}
const blocksOf = (file: string): Block[] =>
  [...read(file).matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language = '', text = '']) => ({ language, text }));

let relay: RelayHarness;
let ownKey: string;
beforeAll(async () => {
  relay = await RelayHarness.start();
  await relay.addChannel({ type: 1, models: 'gpt-4o', baseUrl: relay.upstream.url });
  ({ key: ownKey } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000 }) }));
  relay.upstream.script({}, chat({ text: ['Galaxy Day'], usage: { prompt_tokens: 10, completion_tokens: 5 } }));
}, 60_000);
afterAll(() => relay.stop());

/** The programs that are here without installing anything, by the language of the block. */
const commands: Record<string, (text: string) => [string, string[]]> = {
  sh: (text) => ['bash', ['-c', text]],
  ts: (text) => ['node', ['--input-type=module', '-e', text]],
};
const runnable = ['curl.md', 'typescript.md', 'langchain.md', 'vercel-ai-sdk.md'].flatMap((page) =>
  blocksOf(`docs/clients/${page}`)
    .filter(({ language }) => language in commands)
    .map((block, index) => ({ name: `${page} ${block.language} ${index + 1}`, ...block })),
);

it.each(runnable)(
  '$name: the block gets a response of the model',
  async ({ language, text }) => {
    const filled = text.replaceAll(address, relay.url).replaceAll(key, ownKey);
    const [program, parameters] = commands[language]!(filled);
    const { stdout } = await promisify(execFile)(program, parameters, { cwd: root });
    expect(stdout).toContain('Galaxy Day');
  },
  60_000,
);

it('has seven such blocks', () => {
  expect(runnable.map(({ name }) => name)).toHaveLength(7);
});

/** Settings with which `npm run test:agents` runs the real programs. */
it.each([
  ['claude-code.md', ['ANTHROPIC_BASE_URL', 'ANTHROPIC_AUTH_TOKEN']],
  [
    'codex.md',
    ['model_provider = "tollgate"', '[model_providers.tollgate]', 'env_key = "TOLLGATE_KEY"', 'wire_api = "responses"'],
  ],
  ['gemini-cli.md', ['GOOGLE_GEMINI_BASE_URL', 'GEMINI_API_KEY', 'gemini-api-key']],
])('%s sets the program up as the tests of programs do', (page, settings) => {
  const [text, programs] = [read(`docs/clients/${page}`), read('tests/agents/programs.ts')];
  for (const setting of settings)
    expect([setting, text, programs].map((one) => one.includes(setting))).not.toContain(false);
});

describe.each(pages)('%s', (page) => {
  it('has the same blocks in Chinese', () => {
    const [english, chinese] = [blocksOf(`docs/clients/${page}`), blocksOf(`docs/zh/clients/${page}`)];
    expect(english.length).toBeGreaterThan(0);
    expect(chinese).toEqual(english);
  });

  it('names address and key in the form that is replaced, and JSON that can be read', () => {
    const blocks = blocksOf(`docs/clients/${page}`);
    const all = blocks.map(({ text }) => text).join('\n');
    expect([all.includes(address), all.includes(key)]).toEqual([true, true]);
    for (const { text } of blocks.filter(({ language }) => language === 'json'))
      expect(() => JSON.parse(text) as unknown).not.toThrow();
  });
});
