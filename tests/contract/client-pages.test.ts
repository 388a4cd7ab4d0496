import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { chat } from '../support/upstream/replies.js';
import { RelayHarness } from './relay-harness.js';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
// The other two are a list and results.
const pages = readdirSync(join(root, 'docs/clients')).filter((file) => !['README.md', 'matrix.md'].includes(file));
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
  await relay.addChannel({ type: 42, models: 'codestral-latest', baseUrl: relay.upstream.url });
  ({ key: ownKey } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000 }) }));
  relay.upstream.script({}, chat({ text: ['Galaxy Day'], usage: { prompt_tokens: 10, completion_tokens: 5 } }));
});
afterAll(() => relay.stop());

/** The programs that run without an installation, by the language of the code block. */
const commands: Record<string, (text: string) => [string, string[]]> = {
  sh: (text) => ['bash', ['-c', text]],
  ts: (text) => ['node', ['--input-type=module', '-e', text]],
};
const runnable = ['curl.md', 'fim.md', 'typescript.md', 'langchain.md', 'vercel-ai-sdk.md'].flatMap((page) =>
  blocksOf(`docs/clients/${page}`)
    .filter(({ language }) => language in commands)
    .map((block, index) => ({ name: `${page} ${block.language} ${index + 1}`, ...block })),
);

it.each(runnable)('$name: the block gets a response of the model', async ({ language, text }) => {
  const filled = text.replaceAll(address, relay.url).replaceAll(key, ownKey);
  const [program, parameters] = commands[language]!(filled);
  const { stdout } = await promisify(execFile)(program, parameters, { cwd: root });
  expect(stdout).toContain('Galaxy Day');
});

it('has nine such blocks', () => {
  expect(runnable.map(({ name }) => name)).toHaveLength(9);
});

/**
 * Programs that have a form instead of a file, or variables of their own. The test uses the address that the page gives to
 * list the models and make a call as OpenAI's package does.
 */
const entered: ReadonlyArray<[page: string, field: string, appended?: string]> = [
  ['cline.md', 'Base URL: '],
  ['cursor.md', 'Base URL: '],
  ['dify.md', 'Base URL: '],
  ['n8n.md', 'Base URL: '],
  // Cherry Studio appends `/v1` itself.
  ['cherry-studio.md', 'Base URL: ', '/v1'],
  ['lobechat.md', 'OPENAI_PROXY_URL='],
  ['open-webui.md', 'OPENAI_API_BASE_URL='],
];

it.each(entered)('%s: the address lists the models and gets a response', async (page, field, appended = '') => {
  const lines = blocksOf(`docs/clients/${page}`).flatMap(({ text }) => text.split('\n'));
  const given = lines.find((line) => line.startsWith(field))?.slice(field.length);
  const keys = lines.filter((line) => line.includes(key));
  expect(keys.map((line) => line.split(/: |=/)[1])).toEqual([key]);
  const client = new OpenAI({
    baseURL: `${given ?? ''}${appended}`.replace(address, relay.url),
    apiKey: ownKey,
    maxRetries: 0,
  });
  expect((await client.models.list()).data.map(({ id }) => id)).toContain('gpt-4o');
  const messages = [{ role: 'user' as const, content: 'Invent a holiday.' }];
  const whole = await client.chat.completions.create({ model: 'gpt-4o', messages });
  expect(whole.choices[0]?.message.content).toBe('Galaxy Day');
  let streamed = '';
  for await (const part of await client.chat.completions.create({ model: 'gpt-4o', messages, stream: true }))
    streamed += part.choices[0]?.delta.content ?? '';
  expect(streamed).toBe('Galaxy Day');
});

it('OpenCode: the file names the package of an OpenAI-compatible provider, with an address that responds', async () => {
  const [block] = blocksOf('docs/clients/opencode.md').filter(({ language }) => language === 'json');
  const config = JSON.parse(block!.text) as {
    model: string;
    provider: Record<string, { npm: string; options: { baseURL: string; apiKey: string }; models: object }>;
  };
  const [name, model] = config.model.split('/') as [string, string];
  const provider = config.provider[name]!;
  expect(provider.npm).toBe('@ai-sdk/openai-compatible');
  expect(Object.keys(provider.models)).toEqual([model]);
  expect(provider.options.apiKey).toBe(key);
  const client = new OpenAI({ baseURL: provider.options.baseURL.replace(address, relay.url), apiKey: ownKey });
  const reply = await client.chat.completions.create({
    model,
    messages: [{ role: 'user', content: 'Invent a holiday.' }],
  });
  expect(reply.choices[0]?.message.content).toBe('Galaxy Day');
});

it('every page is tried by one of these tests or by the programs of test:agents', () => {
  const tried = [...runnable.map(({ name }) => name.split(' ')[0]), ...entered.map(([page]) => page), 'opencode.md'];
  // `tests/agents` tests these programs and the Python blocks.
  const byAgents = ['claude-code.md', 'codex.md', 'gemini-cli.md', 'python.md', 'llamaindex.md'];
  expect([...new Set([...tried, ...byAgents])].sort()).toEqual([...pages].sort());
});

/** The settings with which `npm run test:agents` runs the real programs. */
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
