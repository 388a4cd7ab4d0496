import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { recordedAnswer, recordedEvents, toEvent } from './recordings.js';
import type { Reply } from './upstream.js';

/** The usage that a chat response reports, in OpenAI's shape. */
export interface ReportedUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens?: number;
  readonly [more: string]: unknown;
}

export interface ChatReply {
  /** The model's text in chunks: one stream event each. */
  readonly text: string | readonly string[];
  /** Null: the provider reports none. */
  readonly usage?: ReportedUsage | null;
  readonly toolCalls?: readonly unknown[];
  readonly finishReason?: string;
  /** Additional fields, to test that unknown fields are forwarded. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Delay between two events of a stream. */
  readonly gapMilliseconds?: number;
}

const defaultUsage: ReportedUsage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };

/** Any JSON response. */
export const json =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': bytes.length,
      'x-request-id': 'upstream-request',
      ...headers,
    });
    response.end(bytes);
  };

/** A stream of the given events and the final one. */
export const events =
  (data: readonly string[], { gapMilliseconds = 0, done = true } = {}): Reply =>
  async (response) => {
    openStream(response);
    for (const item of data) {
      if (!(await writeOrLeave(response, toEvent(item)))) return;
      if (gapMilliseconds > 0) await delay(gapMilliseconds);
    }
    response.end(done ? toEvent('[DONE]') : undefined);
  };

/** A synthetic chat response: streamed or not, as the request asks. */
export function chat(reply: ChatReply): Reply {
  return (response, request) => {
    const model = request.model ?? 'unknown';
    if (!request.stream) return json(chatCompletion(reply, model))(response, request);
    const options = request.body?.stream_options as { include_usage?: boolean } | undefined;
    const data = chatChunks(reply, model, options?.include_usage === true);
    return events(data, { gapMilliseconds: reply.gapMilliseconds })(response, request);
  };
}

/** A provider's real response, streamed or not: `recorded('openai/openai-text')`. */
export function recorded(name: string): Reply {
  return (response, request) =>
    (request.stream ? events(recordedEvents(name)) : json(recordedAnswer(name)))(response, request);
}

/** The response of an upstream without a script. */
export const defaultReply: Reply = (response, request) => {
  const path = request.path.split('?')[0];
  const reply = path ? defaultReplies[path] : undefined;
  const notFound = json({ error: { message: `no such path: ${path}`, type: 'invalid_request_error' } }, 404);
  return (reply ?? notFound)(response, request);
};

const defaultReplies: Readonly<Record<string, Reply>> = {
  '/v1/chat/completions': chat({ text: ['Hello', ' from', ' the', ' upstream', '!'] }),
  '/v1/embeddings': json(recordedAnswer('openai/openai-embedding')),
  '/v1/models': json({
    object: 'list',
    data: ['gpt-4o', 'gpt-4o-mini'].map((id) => ({ id, object: 'model', created: 1_715_367_049, owned_by: 'system' })),
  }),
  '/v1/dashboard/billing/subscription': json({ object: 'billing_subscription', hard_limit_usd: 120 }),
  '/v1/dashboard/billing/usage': json({ object: 'list', total_usage: 2_050 }),
};

/** The non-streaming response of OpenAI's chat endpoint. */
export function chatCompletion(reply: ChatReply, model: string): Record<string, unknown> {
  const { text, usage = defaultUsage, toolCalls, extra } = reply;
  return {
    id: 'chatcmpl-scripted',
    object: 'chat.completion',
    created: 1_763_600_000,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: toolCalls ? null : [text].flat().join(''),
          ...(toolCalls ? { tool_calls: toolCalls } : {}),
        },
        finish_reason: finishReason(reply),
      },
    ],
    ...(usage ? { usage } : {}),
    ...extra,
  };
}

/** The stream of OpenAI's chat endpoint, one item per event. */
export function chatChunks(reply: ChatReply, model: string, includeUsage: boolean): string[] {
  const { text, usage = defaultUsage, toolCalls, extra } = reply;
  const chunk = (choices: unknown[], more: object = {}): string =>
    JSON.stringify({
      id: 'chatcmpl-scripted',
      object: 'chat.completion.chunk',
      created: 1_763_600_000,
      model,
      choices,
      ...extra,
      ...more,
    });
  const delta = (content: object, finish: string | null = null): string =>
    chunk([{ index: 0, delta: content, finish_reason: finish }]);
  return [
    delta({ role: 'assistant', content: '' }),
    ...[text].flat().map((content) => delta({ content })),
    ...(toolCalls ?? []).map((call, index) => delta({ tool_calls: [{ index, ...(call as object) }] })),
    delta({}, finishReason(reply)),
    ...(usage && includeUsage ? [chunk([], { usage })] : []),
  ];
}

const finishReason = (reply: ChatReply): string => reply.finishReason ?? (reply.toolCalls ? 'tool_calls' : 'stop');

export function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.flushHeaders();
}

/** Writes with backpressure. Returns false if the caller has disconnected. */
export async function writeOrLeave(response: ServerResponse, bytes: string | Buffer): Promise<boolean> {
  if (response.destroyed) return false;
  if (response.write(bytes)) return true;
  const settled = new AbortController();
  const { signal } = settled;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  settled.abort();
  return !response.destroyed;
}

/** The body of a chat completion that calls one function. */
export const chatCall = (name: string, text: string, id = 'call_9') => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name, arguments: text } }],
      },
      finish_reason: 'tool_calls',
    },
  ],
});
