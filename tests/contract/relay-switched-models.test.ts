/**
 * One session whose model is another maker's with every turn: each turn has a call of a tool, and the whole history is sent back as
 * the client got it. The scripted providers refuse what the real providers refuse.
 */
import { kinds, openKind, type OpenedKind, Refusals } from '../agents/kinds.js';
import { secret } from '../agents/model.js';
import { type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
let opened: OpenedKind | null = null;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });
afterEach(async () => {
  await opened?.stop();
  opened = null;
});

type Json = Record<string, unknown>;

/** Faults of a history of another maker, and the effort that the client asks every model for: each costs one refusal of a call. */
const once = [
  /^Unrecognized request argument supplied: reasoning_effort/,
  /String should match pattern/,
  /Invalid `signature` in `thinking` block/,
  /^Corrupted thought signature/,
  /could not be verified/,
  /Unexpected role 'user' after role 'tool'/,
];

interface Client {
  readonly path: string;
  body(history: readonly Json[]): Json;
  said(text: string): Json[];
  /** The turn of the model in a response, as the client sends it back. */
  answered(response: Json): Json[];
  /** Results of the calls of a turn; none when it has no call. */
  results(turn: readonly Json[]): Json[];
}

const file = `The word is ${secret}`;
const schema = { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] };
const read = { name: 'Read', description: 'Reads a file' };
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

const clients: Readonly<Record<string, Client>> = {
  chat: {
    path: '/v1/chat/completions',
    body: (messages) => ({
      messages: [{ role: 'system', content: 'You are an agent.' }, ...messages],
      tools: [{ type: 'function', function: { ...read, parameters: schema } }],
      reasoning_effort: 'medium',
    }),
    said: (content) => [{ role: 'user', content }],
    answered: ({ choices }) => [listOf(choices)[0]?.['message'] as Json],
    results: ([message]) =>
      listOf(message?.['tool_calls']).map(({ id }) => ({ role: 'tool', tool_call_id: id, content: file })),
  },
  Messages: {
    path: '/v1/messages',
    body: (messages) => ({
      system: 'You are an agent.',
      max_tokens: 8000,
      messages,
      tools: [{ ...read, input_schema: schema }],
      thinking: { type: 'adaptive' },
    }),
    said: (content) => [{ role: 'user', content }],
    answered: ({ content }) => [{ role: 'assistant', content }],
    results([message]) {
      const calls = listOf(message?.['content']).filter(({ type }) => type === 'tool_use');
      const content = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: file }));
      return content.length > 0 ? [{ role: 'user', content }] : [];
    },
  },
  Responses: {
    path: '/v1/responses',
    body: (input) => ({
      instructions: 'You are an agent.',
      input,
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'medium', summary: 'auto' },
      tools: [{ type: 'function', ...read, parameters: schema, strict: false }],
    }),
    said: (content) => [{ role: 'user', content }],
    answered: ({ output }) => listOf(output),
    results: (items) =>
      items.flatMap(({ type, call_id: id }) =>
        type === 'function_call' ? [{ type: 'function_call_output', call_id: id, output: file }] : [],
      ),
  },
  Gemini: {
    path: '/v1beta/models/some-model:generateContent',
    body: (contents) => ({
      systemInstruction: { parts: [{ text: 'You are an agent.' }] },
      contents,
      tools: [{ functionDeclarations: [{ ...read, parametersJsonSchema: schema }] }],
      generationConfig: { thinkingConfig: { includeThoughts: true }, maxOutputTokens: 8000 },
    }),
    said: (text) => [{ role: 'user', parts: [{ text }] }],
    answered: ({ candidates }) => [listOf(candidates)[0]?.['content'] as Json],
    results([content]) {
      const calls = listOf(content?.['parts']).flatMap(({ functionCall: call }) => (call ? [call as Json] : []));
      const parts = calls.map(({ name, id }) => ({
        functionResponse: { name, ...(id === undefined ? {} : { id }), response: { output: file } },
      }));
      return parts.length > 0 ? [{ role: 'user', parts }] : [];
    },
  },
};

// `e2e/vertex.test.ts` tests the kinds at Google's hosts. Kinds without tools cannot go on with an agent's work, and Hunyuan takes 40
// messages.
const here = kinds.filter(({ at, onlyTalks, name }) => at === undefined && !onlyTalks && name !== 'Hunyuan');

const sessions = Object.entries(clients).flatMap(([name, client]) => [
  [name, 'forwards', client, here] as const,
  [name, 'backwards', client, here.toReversed()] as const,
]);

it.each(sessions)(
  'a session of a %s client goes on at every kind of channel, %s',
  async (_name, _order, client, order) => {
    const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000_000 }) });
    const history: Json[] = [];
    const failed: string[] = [];
    for (const kind of order) {
      await relay.clearChannels();
      history.push(...client.said('<<READ>> Read notes.txt and tell me the word.'));
      const before = history.length;
      let isChannelOpen = false;
      for (let count = 0; count < 3; count++) {
        const refusals = new Refusals(kind.learned, ...once);
        opened = await openKind(kind, relay.upstream, '/project', refusals);
        const mapping = JSON.stringify({ 'some-model': kind.model });
        if (!isChannelOpen) await relay.addChannel({ ...opened.channel, models: 'some-model', mapping });
        isChannelOpen = true;
        const response = await relay.post(client.path, key, { model: 'some-model', ...client.body(history) });
        const text = await response.text();
        if (response.status !== 200 || refusals.unexpected.length > 0) {
          failed.push(`${kind.name}: ${response.status} ${refusals.unexpected.join()} ${text.slice(0, 300)}`);
          break;
        }
        const turn = client.answered(JSON.parse(text) as Json);
        const results = client.results(turn);
        history.push(...turn, ...results);
        if (results.length > 0) continue;
        if (!text.includes(secret)) failed.push(`${kind.name}: ${text.slice(0, 300)}`);
        break;
      }
      if (history.length < before + 3) failed.push(`${kind.name}: no call`);
    }
    expect(failed).toEqual([]);
  },
);
