/**
 * Sessions of ten calls of the recorded agents, at a provider with a realistic prompt cache: everything that the cache can
 * keep stays in it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chatSpoken, geminiSpoken, messagesSpoken, responsesSpoken, sseOf, type Spoken } from '../agents/dialects.js';
import type { ReceivedRequest, Reply } from '../support/upstream/upstream.js';
import { type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });

type Json = Record<string, unknown>;
interface Recorded {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Json;
}

const turns = 10;
const recorded = (agent: string): Recorded => {
  const file = join(import.meta.dirname, '../recorded/agents', `${agent}.json`);
  const [first] = JSON.parse(readFileSync(file, 'utf8')) as Recorded[];
  if (!first) throw new Error(`${agent} recorded nothing`);
  return first;
};
const listOf = (value: unknown): Json[] => value as Json[];
const reminder = '<system-reminder>The todo list is empty.</system-reminder>';
const seen = (turn: number): string => `line ${turn} of the file`.repeat(30);

/** The messages that an agent adds to its history between two turns. */
const grown: Readonly<Record<string, (body: Json, turn: number) => Json>> = {
  // Two versions of Claude Code change `cch` with each call (claude-code#68900), and the cache mark moves to the last block.
  'claude-code': (body, turn) => ({
    ...body,
    system: [
      {
        type: 'text',
        text: `x-anthropic-billing-header: cc_version=2.1.332.${turn}c1; cc_entrypoint=cli; cch=${turn}6ee5;`,
      },
      ...listOf(body['system']).slice(1),
    ],
    messages: [
      ...listOf(body['messages']),
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: `toolu_${turn}`, name: 'Read', input: { file_path: `/a/${turn}` } }],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: `toolu_${turn}`, content: seen(turn) },
          { type: 'text', text: reminder },
        ],
      },
      { role: 'system', content: `Skills changed: ${turn}` },
    ],
  }),
  'codex-cli': (body, turn) => ({
    ...body,
    input: [
      ...listOf(body['input']),
      { type: 'function_call', name: 'exec_command', arguments: `{"cmd":"cat ${turn}"}`, call_id: `call_${turn}` },
      { type: 'function_call_output', call_id: `call_${turn}`, output: seen(turn) },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: `Sandbox changed: ${turn}` }] },
    ],
  }),
  'gemini-cli': (body, turn) => ({
    ...body,
    contents: [
      ...listOf(body['contents']),
      {
        role: 'model',
        parts: [
          {
            functionCall: { id: `call-${turn}`, name: 'read_file', args: { file_path: `/a/${turn}` } },
            thoughtSignature: 'skip_thought_signature_validator',
          },
        ],
      },
      {
        role: 'user',
        parts: [{ functionResponse: { id: `call-${turn}`, name: 'read_file', response: { output: seen(turn) } } }],
      },
    ],
  }),
  'qwen-code': (body, turn) => ({
    ...body,
    messages: [
      ...listOf(body['messages']),
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: `call_${turn}`,
            type: 'function',
            function: { name: 'read_file', arguments: `{"file_path":"/a/${turn}"}` },
          },
        ],
      },
      { role: 'tool', tool_call_id: `call_${turn}`, content: seen(turn) },
    ],
  }),
};

/** Returns the prompt as a model reads it: tools, instructions and messages, without the marks of caches. */
const promptOf = (body: Json): string =>
  JSON.stringify(
    [
      body['tools'],
      body['system'] ?? body['instructions'] ?? body['systemInstruction'],
      body['messages'] ?? body['input'] ?? body['contents'],
    ],
    (name, value: unknown) => (name === 'cache_control' ? undefined : value),
  );

interface Caching {
  readonly reply: Reply;
  /** Returns the characters that were cached, as a share of those that could have been cached. */
  share(): number;
}

/**
 * Creates a provider with a prompt cache. Each key is an account with many machines, and each machine has a cache. A
 * session's calls are sent to the machine that its cache key names, other calls to any machine (OpenAI's "Prompt caching",
 * docs.x.ai "Maximizing cache hits", November 2026).
 */
function caching(spoken: (request: ReceivedRequest) => Spoken, byKey: boolean): Caching {
  const machines = new Map<string, string[]>();
  let [cached, possible, before, count] = [0, 0, 0, 0];
  return {
    share: () => cached / possible,
    async reply(response, request) {
      const body = request.body ?? {};
      const prompt = promptOf(body);
      const named = [body['prompt_cache_key'], request.headers['x-grok-conv-id']].find(
        (each) => typeof each === 'string',
      );
      const machine = `${request.key} ${String(byKey ? (named ?? count++ % 3) : '')}`;
      const known = machines.get(machine) ?? [];
      cached += Math.max(0, ...known.map((each) => shared(each, prompt)));
      possible += before;
      before = prompt.length;
      machines.set(machine, [...known, prompt]);
      const said = spoken(request);
      const model = request.model ?? 'm';
      if (!request.stream && !request.path.includes('stream')) {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(said.whole({ kind: 'text', text: 'ok' }, model)));
        return;
      }
      response.setHeader('content-type', 'text/event-stream');
      for (const event of said.events({ kind: 'text', text: 'ok' }, model)) response.write(sseOf(event));
      response.end(said.done);
      await request.ended;
    },
  };
}

const shared = (one: string, other: string): number => {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
};

const chat = (): Spoken => chatSpoken();
const providers = [
  { name: 'OpenAI', type: 1, model: 'gpt-4o', byKey: true, spoken: chat },
  { name: 'OpenAI at Responses', type: 1, model: 'gpt-5.6', byKey: true, spoken: () => responsesSpoken },
  { name: 'Azure', type: 3, model: 'gpt-4o', byKey: true, spoken: chat },
  { name: 'xAI', type: 48, model: 'grok-5', byKey: true, spoken: chat },
  { name: 'Moonshot', type: 25, model: 'kimi-k2-thinking', byKey: true, spoken: () => chatSpoken(true) },
  { name: 'DeepSeek', type: 43, model: 'deepseek-v4-pro', byKey: false, spoken: () => chatSpoken(true) },
  { name: 'Gemini', type: 24, model: 'gemini-3-pro', byKey: false, spoken: () => geminiSpoken },
  { name: 'Anthropic', type: 14, model: 'claude-sonnet-4-5', byKey: false, spoken: () => messagesSpoken },
] as const;

/**
 * Pairs of agents and providers whose bytes pass through unchanged, so that cache keys are the client's responsibility.
 * Anthropic itself leaves the billing line of Claude Code out of the prompt.
 */
const native: Readonly<Record<string, readonly string[]>> = {
  'qwen-code': ['OpenAI', 'Azure', 'xAI', 'Moonshot'],
  'claude-code': ['Anthropic'],
};

const cases = Object.keys(grown).flatMap((agent) =>
  providers
    .filter(({ name }) => !native[agent]?.includes(name))
    .map((provider) => [agent, provider.name, provider] as const),
);

it.each(cases)('%s at %s: 95 %% of what could be cached is', async (agent, _name, provider) => {
  const { type, model, byKey, spoken } = provider;
  const first = recorded(agent);
  const asked = typeof first.body['model'] === 'string' ? first.body['model'] : 'gemini-2.5-flash';
  const channel = { type, models: asked, mapping: JSON.stringify({ [asked]: model }) };
  await relay.addChannel({ ...channel, key: 'a,b,c' });
  await relay.addChannel({ ...channel, key: 'd,e,f' });
  const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000_000 }) });
  const provided = caching((request) => (request.path.includes('/responses') ? responsesSpoken : spoken()), byKey);
  relay.upstream.script({}, provided.reply);
  let { body } = first;
  for (let turn = 1; turn <= turns; turn++) {
    const response = await relay.post(first.path, key, body, { headers: first.headers });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('ok')]);
    body = grown[agent]?.(body, turn) ?? body;
  }
  expect(relay.upstream.requests).toHaveLength(turns);
  expect(provided.share()).toBeGreaterThanOrEqual(0.95);
});
