/** A provider that has refused a request as a bad one does not get the same request again, at any kind of channel and for any client. */
import { kinds, openKind, type Kind, type OpenedKind, Refusals } from '../agents/kinds.js';
import { isFullSuite } from '../support/suite.js';
import type { ReceivedRequest, Reply } from '../support/upstream/upstream.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
let opened: OpenedKind | null = null;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true, RetryTimes: 5 } });
afterEach(async () => {
  await opened?.stop();
  opened = null;
});

type Json = Record<string, unknown>;

/** Refusals that the provider repeats after each correction. */
const refusals = [
  'Something is wrong with this request',
  'messages: Extra inputs are not permitted',
  'temperature: Extra inputs are not permitted',
  "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
  'max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.',
  'max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens',
  'messages.1.content.0: Invalid `signature` in `thinking` block',
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
  'System message must be at the beginning.',
  'Function tools with reasoning_effort are not supported for m in /v1/chat/completions. To use function tools, use /v1/responses.',
  'This model is only supported in v1/responses and not in v1/chat/completions.',
  'Invalid JSON payload received. Unknown name "topK" at \'generation_config\': Cannot find field.',
];

const tool = { name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} } };
const clients: ReadonlyArray<readonly [name: string, path: string, body: Json]> = [
  [
    'chat',
    '/v1/chat/completions',
    {
      messages: [{ role: 'system', content: 'A' }, ...userMessage('hi')],
      max_tokens: 32_000,
      temperature: 0.5,
      reasoning_effort: 'low',
      tools: [{ type: 'function', function: tool }],
    },
  ],
  [
    'Messages',
    '/v1/messages',
    { messages: userMessage('hi'), max_tokens: 32_000, temperature: 1, thinking: { type: 'adaptive' } },
  ],
  ['Responses', '/v1/responses', { input: 'hi', max_output_tokens: 32_000, reasoning: { effort: 'low' } }],
  [
    'Gemini',
    '/v1beta/models/MODEL:generateContent',
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], generationConfig: { topK: 4, maxOutputTokens: 32_000 } },
  ],
];

const failing =
  (kind: Kind, says: string): Reply =>
  (response, request) => {
    const { wire } = kind.dialectOf(request);
    const aside = wire?.aside?.(request) ?? null;
    const { status, body } = wire?.refused(says) ?? { status: 400, body: { error: { message: says } } };
    const bytes = Buffer.from(JSON.stringify(aside ?? body));
    response.writeHead(aside ? 200 : status, { 'content-type': 'application/json', 'content-length': bytes.length });
    response.end(bytes);
  };

/** Returns the request that the provider refuses. The query of its address may contain a time. */
const refusedAs = ({ path, rawBody }: ReceivedRequest): string => `${path.split('?')[0]} ${rawBody.toString()}`;

// Spark has one answer to a socket, and `e2e/vertex.test.ts` has the kinds at Google's hosts.
const here = kinds.filter(({ at }) => at === undefined);

describe.each(clients)('a %s client', (name, path, given) => {
  // A full suite asks every kind for every client. Other runs ask alternating halves.
  const turn = clients.findIndex(([each]) => each === name);
  const asked = here.filter((_, index) => isFullSuite || index % 2 === turn % 2);
  it.each(asked.map((kind) => [kind.name, kind] as const))('at %s', async (_kind, kind) => {
    opened = await openKind(kind, relay.upstream, '/project', new Refusals());
    const { channel } = opened;
    const repeated: string[] = [];
    await relay.addChannel({ ...channel, models: kind.model });
    const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000_000 }) });
    for (const says of refusals) {
      relay.upstream.reset();
      relay.upstream.script({}, failing(kind, says));
      const body = path.startsWith('/v1beta') ? given : { ...given, model: kind.model };
      const response = await relay.post(path.replace('MODEL', encodeURIComponent(kind.model)), key, body);
      expect([says, response.ok, await response.text()]).toEqual([says, false, expect.any(String)]);
      const refused = relay.upstream.requests
        .filter((each) => !kind.dialectOf(each).wire?.aside?.(each))
        .map(refusedAs);
      expect([says, refused.length > 0]).toEqual([says, true]);
      if (new Set(refused).size < refused.length) repeated.push(`${says}: ${refused.join('\n')}`);
    }
    expect(repeated).toEqual([]);
  });
});
