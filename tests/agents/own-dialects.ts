/* Providers with their own protocol: their requests, their responses, and the requests that the real ones refuse. */
import { createHash, createHmac } from 'node:crypto';
import type { ReceivedRequest } from '../support/upstream/upstream.js';
import { sseOf, type Spoken, type StreamedEvent } from './dialects.js';
import type { Turn } from './model.js';
import { list } from './refused-bodies.js';
import { unknownField, type Refuse } from './strict.js';

type Json = Record<string, unknown>;
type Whole = Exclude<Turn, { kind: 'endless' }>;

/** The differences from a provider that streams server-sent events when `stream` is set and refuses with status 400. */
export interface Wire {
  /** Null: the provider never streams. */
  streams: ((request: ReceivedRequest) => boolean) | null;
  frame(event: StreamedEvent): string;
  refused(text: string): { readonly status: number; readonly body: Json };
  /** The response to a request that is no conversation, such as one for a token; null for a conversation. */
  aside?(request: ReceivedRequest): Json | null;
}

export interface OwnProvider {
  readonly spoken: Spoken;
  readonly wire: Wire;
  readonly refuse: Refuse;
}

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const pathOf = ({ path }: ReceivedRequest): string => path.split('?')[0] ?? '';
/** Only providers with tools are sent any, so a turn with a call never comes here. */
const textOf = (turn: Turn): string => (turn.kind === 'text' ? turn.text : '');
const noTools = (): string[] => [];

/** Roles that alternate from the user's to the user's, none of them empty. */
function unordered(
  turns: readonly Json[],
  role: string,
  content: string,
  names: readonly [string, string],
): string | null {
  const stray = turns.findIndex((turn, index) => turn[role] !== names[index % 2]);
  if (stray !== -1) return `messages: turn ${stray} has role ${String(turns[stray]?.[role])}`;
  if (turns.length % 2 === 0) return 'messages: the last turn must be of the user';
  return turns.some((turn) => typeof turn[content] !== 'string' || turn[content] === '')
    ? 'messages: content must be a text that is not empty'
    : null;
}

/** Type 11: whole responses only, instructions as context, two authors in turns. */
export const palm: OwnProvider = {
  spoken: {
    conversation: ({ prompt }) => JSON.stringify((prompt as Json)['messages']),
    tools: noTools,
    whole: (turn) => ({ candidates: [{ author: '1', content: textOf(turn) }], messages: [] }),
    events: () => [],
  },
  wire: {
    streams: null,
    frame: sseOf,
    refused: (message) => ({ status: 400, body: { error: { code: 400, message, status: 'INVALID_ARGUMENT' } } }),
  },
  refuse(request) {
    const { body, headers } = request;
    if (!/^\/v1beta2\/models\/[\w-]+:generateMessage$/.test(request.path)) return `no such method: ${request.path}`;
    if (headers['x-goog-api-key'] === undefined) return 'API key not valid';
    if (!body) return 'the body is no JSON object';
    const prompt = (body['prompt'] ?? {}) as Json;
    const field =
      unknownField(body, ['prompt', 'temperature', 'candidateCount', 'topP', 'topK']) ??
      unknownField(prompt, ['context', 'examples', 'messages']);
    if (field !== null) return `Invalid JSON payload received. Unknown name "${field}"`;
    return unordered(list(prompt['messages']), 'author', 'content', ['0', '1']);
  },
};

const baiduToken = '24.scripted';

/** Type 15: a token first, which is the only credential that conversations take. */
export const baidu: OwnProvider = {
  spoken: {
    conversation: ({ messages }) => JSON.stringify(messages),
    tools: noTools,
    whole: (turn) => ({
      id: 'as-1',
      object: 'chat.completion',
      created: 1,
      result: textOf(turn),
      is_truncated: false,
      usage,
    }),
    events(turn) {
      const piece = (result: string, sentence: number, ends: boolean): StreamedEvent => ({
        data: { id: 'as-1', object: 'chat.completion', created: 1, sentence_id: sentence, is_end: ends, result, usage },
      });
      return turn.kind === 'endless'
        ? [piece('on and ', 0, false)]
        : [piece(textOf(turn), 0, false), piece('', 1, true)];
    },
  },
  wire: {
    streams: ({ body }) => body?.['stream'] === true,
    frame: sseOf,
    refused: (text) => ({ status: 200, body: { error_code: 336003, error_msg: text, id: 'as-0' } }),
    aside: (request) =>
      pathOf(request) === '/oauth/2.0/token'
        ? { access_token: baiduToken, expires_in: 2_592_000, scope: 'public' }
        : null,
  },
  refuse(request) {
    const { body, path } = request;
    if (!pathOf(request).startsWith('/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/')) return `no such path: ${path}`;
    if (new URL(path, 'http://host').searchParams.get('access_token') !== baiduToken) return 'Access token invalid';
    if (!body) return 'the body is no JSON object';
    const field = unknownField(body, [
      ...['messages', 'system', 'temperature', 'top_p', 'penalty_score', 'stream', 'user_id', 'stop'],
      ...['max_output_tokens', 'disable_search', 'enable_citation'],
    ]);
    if (field !== null) return `invalid parameter: ${field}`;
    const { temperature } = body;
    if (temperature !== undefined && !(Number(temperature) > 0 && Number(temperature) <= 1))
      return 'the range of temperature must be (0, 1]';
    return unordered(list(body['messages']), 'role', 'content', ['user', 'assistant']);
  },
};

const signedBy = (token: string, secret: string): boolean => {
  const [head = '', claims = '', signature = ''] = token.split('.');
  return createHmac('sha256', secret).update(`${head}.${claims}`).digest('base64url') === signature;
};

/** Type 16: a signed token without `Bearer`, the model in the path, plain text in the events of a stream. */
export const chatglm: OwnProvider = {
  spoken: {
    conversation: ({ prompt }) => JSON.stringify(list(prompt).filter(({ role }) => role !== 'system')),
    tools: noTools,
    whole: (turn) => ({
      code: 200,
      msg: 'ok',
      success: true,
      data: {
        task_id: 't-1',
        task_status: 'SUCCESS',
        choices: [{ role: 'assistant', content: `"${textOf(turn)}"` }],
        usage,
      },
    }),
    events(turn) {
      const add = (text: string): StreamedEvent => ({ name: 'add', data: { text } });
      if (turn.kind === 'endless') return [add('on and ')];
      return [add(textOf(turn)), { name: 'finish', data: { text: '', meta: { task_status: 'SUCCESS', usage } } }];
    },
  },
  wire: {
    streams: ({ path }) => path.endsWith('/sse-invoke'),
    frame({ name, data }) {
      const meta = data['meta'] === undefined ? '' : `meta: ${JSON.stringify(data['meta'])}\n`;
      const lines = String(data['text']).split('\n');
      return `event: ${name}\nid: t-1\n${lines.map((line) => `data: ${line}\n`).join('')}${meta}\n`;
    },
    refused: (msg) => ({ status: 200, body: { code: 1214, msg, success: false } }),
  },
  refuse({ body, path, headers }) {
    if (!/^\/api\/paas\/v3\/model-api\/[\w-]+\/(?:sse-)?invoke$/.test(path)) return `no such path: ${path}`;
    if (!signedBy(headers.authorization ?? '', 'secret')) return 'the token is not signed with the secret of the key';
    if (!body) return 'the body is no JSON object';
    const field = unknownField(body, [
      'prompt',
      'temperature',
      'top_p',
      'request_id',
      'incremental',
      'return_type',
      'ref',
    ]);
    if (field !== null) return `unknown parameter ${field}`;
    const turns = list(body['prompt']);
    const bad = turns.find(
      ({ role, content }) =>
        !['system', 'user', 'assistant'].includes(String(role)) || typeof content !== 'string' || !content,
    );
    if (bad) return `prompt: invalid message of ${String(bad['role'])}`;
    return turns.at(-1)?.['role'] === 'user' ? null : 'prompt: the last message must be of the user';
  },
};

/** Type 21: one question for a library, without a conversation. */
export const library: OwnProvider = {
  spoken: {
    conversation: ({ query }) => String(query),
    tools: noTools,
    whole: (turn) => ({ success: true, answer: textOf(turn), documents: [], errCode: 0, message: '' }),
    events(turn) {
      const piece = (content: string, finish: boolean): StreamedEvent => ({
        data: { content, finish, model: 'm', documents: [] },
      });
      return turn.kind === 'endless' ? [piece('on and ', false)] : [piece(textOf(turn), false), piece('', true)];
    },
  },
  wire: {
    streams: ({ body }) => body?.['stream'] === true,
    frame: sseOf,
    refused: (message) => ({ status: 200, body: { success: false, errCode: 400, message } }),
  },
  refuse({ body, path, key }) {
    if (path !== '/api/library/ask') return `no such path: ${path}`;
    if (!key) return 'no key';
    if (!body) return 'the body is no JSON object';
    const field = unknownField(body, ['model', 'query', 'libraryId', 'stream']);
    if (field !== null) return `unknown parameter ${field}`;
    if (body['libraryId'] !== '123456') return 'no such library';
    return typeof body['query'] === 'string' && body['query'] !== '' ? null : 'query must not be empty';
  },
};

const sha256 = (text: Buffer | string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Tencent's own recipe: the bytes, the host and the action as they arrived. */
function tc3Refusal({ headers, rawBody }: ReceivedRequest): string | null {
  const given =
    /^TC3-HMAC-SHA256 Credential=id\/([\d-]+)\/hunyuan\/tc3_request, SignedHeaders=([\w;-]+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    );
  if (!given) return 'AuthFailure.SignatureFailure: no signature';
  const [, date = '', names = '', signature] = given;
  const signed = names.split(';').map((name) => `${name}:${String(headers[name]).toLowerCase()}\n`);
  const canonical = `POST\n/\n\n${signed.join('')}\n${names}\n${sha256(rawBody)}`;
  const toSign = `TC3-HMAC-SHA256\n${String(headers['x-tc-timestamp'])}\n${date}/hunyuan/tc3_request\n${sha256(canonical)}`;
  const key = hmac(hmac(hmac('TC3secret', date), 'hunyuan'), 'tc3_request');
  return hmac(key, toSign).toString('hex') === signature ? null : 'AuthFailure.SignatureFailure: it does not match';
}

/** The model calls functions and takes text only, as Hunyuan's models with functions do. */
function hunyuanTurns(messages: readonly Json[]): string | null {
  if (messages.some((turn, index) => turn['Role'] === 'system' && index > 0)) return 'system must be the first message';
  const turns = messages.filter(({ Role }) => Role !== 'system');
  for (const [index, turn] of turns.entries()) {
    const [role, before] = [turn['Role'], turns[index - 1]];
    if (!['user', 'assistant', 'tool'].includes(String(role))) return `unknown role ${String(role)}`;
    if (turn['Contents'] !== undefined) return 'Contents is supported by vision models only';
    if (turn['ReasoningContent'] !== undefined) return 'ReasoningContent must not be sent';
    const repeats = role === 'tool' && before?.['Role'] === 'tool';
    if (before === undefined ? role !== 'user' : sideOf(turn) === sideOf(before) && !repeats)
      return `message ${index} of ${String(role)} does not alternate`;
    if (!turn['Content'] && turn['ToolCalls'] === undefined) return `message ${index}: Content must not be empty`;
    const calls = turns.slice(0, index).flatMap((each) => list(each['ToolCalls']).map(({ Id }) => Id));
    if (role === 'tool' && !calls.includes(turn['ToolCallId'])) return `message ${index}: no such ToolCallId`;
  }
  return sideOf(turns.at(-1)) === 'assistant' ? 'the last message must be of the user or a tool' : null;
}

/** A tool's result is a turn of the user. */
const sideOf = (turn: Json | undefined): unknown => (turn?.['Role'] === 'tool' ? 'user' : turn?.['Role']);

/** Type 23, with its signature. */
export const tencent: OwnProvider = {
  spoken: {
    conversation: ({ Messages }) => JSON.stringify(list(Messages).filter(({ Role }) => Role !== 'system')),
    tools: ({ Tools }) => list(Tools).map((tool) => String((tool['Function'] as Json)['Name'])),
    whole: (turn) => ({ Response: { RequestId: 'r', ...hunyuanAnswer(turn, 'Message') } }),
    events(turn) {
      if (turn.kind !== 'endless') return [{ data: hunyuanAnswer(turn, 'Delta') }];
      return [
        {
          data: {
            Id: 'h',
            Created: 1,
            Choices: [{ Delta: { Role: 'assistant', Content: 'on and ' }, FinishReason: '' }],
          },
        },
      ];
    },
  },
  wire: {
    streams: ({ body }) => body?.['Stream'] === true,
    frame: sseOf,
    refused: (text) => ({
      status: 200,
      body: { Response: { Error: { Code: 'InvalidParameter', Message: text }, RequestId: 'r' } },
    }),
  },
  refuse(request) {
    const { body, headers } = request;
    if (headers['x-tc-action'] !== 'ChatCompletions' || headers['x-tc-version'] !== '2023-09-01')
      return 'InvalidAction';
    const unsigned = tc3Refusal(request);
    if (unsigned !== null) return unsigned;
    if (!body) return 'the body is no JSON object';
    const field = unknownField(body, [
      ...['Model', 'Messages', 'Stream', 'StreamModeration', 'TopP', 'Temperature', 'EnableEnhancement', 'Tools'],
      ...['ToolChoice', 'CustomTool', 'SearchInfo', 'Citation', 'Seed', 'Stop'],
    ]);
    if (field !== null) return `UnknownParameter: ${field}`;
    const messages = list(body['Messages']);
    return messages.length > 40 ? 'at most 40 messages' : hunyuanTurns(messages);
  },
};

function hunyuanAnswer(turn: Whole, holder: 'Message' | 'Delta'): Json {
  const called = turn.kind === 'call' ? { Name: turn.name, Arguments: JSON.stringify(turn.input) } : null;
  const said = called
    ? {
        Content: '',
        ToolCalls: [
          { Id: `call_${sha256(JSON.stringify(called)).slice(0, 9)}`, Type: 'function', Index: 0, Function: called },
        ],
      }
    : { Content: textOf(turn) };
  return {
    Id: 'h',
    Created: 1,
    Note: '',
    Choices: [{ FinishReason: called ? 'tool_calls' : 'stop', [holder]: { Role: 'assistant', ...said } }],
    Usage: { PromptTokens: 100, CompletionTokens: 20, TotalTokens: 120 },
  };
}

/** Type 37, a chat app: one query that holds the conversation. */
export const dify: OwnProvider = {
  spoken: {
    conversation: ({ query }) => String(query),
    tools: noTools,
    whole: (turn) => ({
      event: 'message',
      message_id: 'dm',
      conversation_id: 'dc',
      mode: 'chat',
      created_at: 1,
      answer: textOf(turn),
      metadata: { usage },
    }),
    events(turn) {
      const head = { message_id: 'dm', conversation_id: 'dc', created_at: 1 };
      const started = { data: { event: 'workflow_started', ...head, data: { id: 'w' } } };
      const said = (answer: string): StreamedEvent => ({ data: { event: 'message', ...head, answer } });
      if (turn.kind === 'endless') return [started, said('on and ')];
      const finished = { data: { event: 'workflow_finished', ...head, data: { status: 'succeeded', outputs: {} } } };
      return [started, said(textOf(turn)), finished, { data: { event: 'message_end', ...head, metadata: { usage } } }];
    },
  },
  wire: {
    streams: ({ body }) => body?.['response_mode'] === 'streaming',
    frame: sseOf,
    refused: (message) => ({ status: 400, body: { code: 'invalid_param', message, status: 400 } }),
  },
  refuse({ body, path, key }) {
    if (path !== '/v1/chat-messages') return `no such path: ${path}`;
    if (!key?.startsWith('app-')) return 'Access token is invalid';
    if (!body) return 'the body is no JSON object';
    const field = unknownField(body, [
      ...['inputs', 'query', 'response_mode', 'user', 'conversation_id', 'files', 'auto_generate_name', 'workflow_id'],
    ]);
    if (field !== null) return `unknown field ${field}`;
    if (typeof body['inputs'] !== 'object' || typeof body['query'] !== 'string' || body['query'] === '')
      return 'inputs and query are required';
    if (typeof body['user'] !== 'string' || body['user'] === '') return 'Arg user must be provided.';
    if (!['blocking', 'streaming'].includes(String(body['response_mode'])))
      return 'response_mode is not a valid choice';
    const file = list(body['files']).find(
      ({ transfer_method: method, url }) => method !== 'remote_url' || !/^https?:/.test(String(url)),
    );
    return file ? 'Invalid file' : null;
  },
};
