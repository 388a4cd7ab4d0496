import type { ReceivedRequest, Upstream } from '../support/upstream/upstream.js';
import { openKind, type Kind, type OpenedKind, Refusals } from './kinds.js';

/* A provider that has refused a request as a bad one must not get the same request again. */

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

const hi = { role: 'user', content: 'hi' };
const tool = { name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} } };
/** Requests of clients of each dialect, of which much may be refused. */
export const clients: ReadonlyArray<readonly [name: string, path: string, body: Json]> = [
  [
    'chat',
    '/v1/chat/completions',
    {
      messages: [{ role: 'system', content: 'A' }, hi],
      max_tokens: 32_000,
      temperature: 0.5,
      reasoning_effort: 'low',
      tools: [{ type: 'function', function: tool }],
    },
  ],
  ['Messages', '/v1/messages', { messages: [hi], max_tokens: 32_000, temperature: 1, thinking: { type: 'adaptive' } }],
  ['Responses', '/v1/responses', { input: 'hi', max_output_tokens: 32_000, reasoning: { effort: 'low' } }],
  [
    'Gemini',
    '/v1beta/models/MODEL:generateContent',
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], generationConfig: { topK: 4, maxOutputTokens: 32_000 } },
  ],
];

/** Returns what the provider compares. The query of its address may contain a time. */
const contentOf = ({ path, rawBody }: ReceivedRequest): string => `${path.split('?')[0]} ${rawBody.toString()}`;

export interface RefusingKind extends OpenedKind {
  /**
   * Sends a client's request once for each refusal, and checks that it fails every time.
   * @param post sends a request to the gateway
   * @returns the refusals after which the provider got the same request again
   */
  repeated(path: string, body: Json, post: (path: string, body: Json) => Promise<Response>): Promise<string[]>;
}

/** Opens a kind whose provider refuses every request. */
export async function openRefusing(kind: Kind, upstream: Upstream): Promise<RefusingKind> {
  let says = '';
  let refused: string[] = [];
  const opened = await openKind(kind, upstream, '/project', new Refusals(), (request) => {
    refused.push(contentOf(request));
    return says;
  });
  return {
    ...opened,
    async repeated(path, body, post) {
      const found: string[] = [];
      for (says of refusals) {
        refused = [];
        const named = path.startsWith('/v1beta') ? body : { ...body, model: kind.model };
        const response = await post(path.replace('MODEL', encodeURIComponent(kind.model)), named);
        expect([says, response.ok, await response.text()]).toEqual([says, false, expect.any(String)]);
        expect([says, refused.length > 0]).toEqual([says, true]);
        if (new Set(refused).size < refused.length) found.push(`${says}: ${refused.join('\n')}`);
      }
      return found;
    },
  };
}
