import { EventStreamCodec } from '@smithy/eventstream-codec';
import type { Turn } from './model.js';

type Json = Record<string, unknown>;

/** How one kind of provider is asked and answers. */
export interface Spoken {
  /** Messages of a request without its instructions. */
  conversation(body: Json): string;
  tools(body: Json): string[];
  /** A whole answer. */
  whole(turn: Exclude<Turn, { kind: 'endless' }>, model: string): Json;
  /** The events of a stream, as `data:` payloads with their names; `endless` gives those before and the one to repeat. */
  events(turn: Turn, model: string): StreamedEvent[];
  /** The text that ends a stream behind its events. */
  readonly done?: string;
}

export interface StreamedEvent {
  readonly name?: string;
  readonly data: Json;
}

let count = 0;
const nextId = (prefix: string): string => `${prefix}${String(++count).padStart(9, '0')}`;
const namesIn = (tools: unknown, name: (tool: Json) => unknown): string[] =>
  (Array.isArray(tools) ? (tools as Json[]) : []).map((tool) =>
    typeof name(tool) === 'string' ? (name(tool) as string) : '',
  );

const chatUsage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** @param withThoughts text in `reasoning_content` before each answer, as thinking models of DeepSeek and Moonshot give */
export function chatSpoken(withThoughts = false): Spoken {
  const thought = withThoughts ? { reasoning_content: 'I think about it.' } : {};
  const call = (turn: Extract<Turn, { kind: 'call' }>): Json => ({
    id: nextId(''),
    type: 'function',
    function: { name: turn.name, arguments: JSON.stringify(turn.input) },
  });
  const chunk = (model: string, delta: Json, finish: string | null = null): StreamedEvent => ({
    data: {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    },
  });
  return {
    conversation: ({ messages }) =>
      JSON.stringify((messages as Json[]).filter(({ role }) => role !== 'system' && role !== 'developer')),
    tools: ({ tools }) => namesIn(tools, (tool) => (tool['function'] as Json | undefined)?.['name']),
    whole: (turn, model) => ({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model,
      usage: chatUsage,
      choices: [
        {
          index: 0,
          message:
            turn.kind === 'text'
              ? { role: 'assistant', content: turn.text, ...thought }
              : { role: 'assistant', content: null, ...thought, tool_calls: [call(turn)] },
          finish_reason: turn.kind === 'text' ? 'stop' : 'tool_calls',
        },
      ],
    }),
    events(turn, model) {
      const begin = [
        chunk(model, { role: 'assistant', content: '' }),
        ...(withThoughts ? [chunk(model, { reasoning_content: 'I think about it.' })] : []),
      ];
      if (turn.kind === 'endless') return [...begin, chunk(model, { content: 'on and ' })];
      const end = (reason: string): StreamedEvent[] => [
        chunk(model, {}, reason),
        {
          data: { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices: [], usage: chatUsage },
        },
      ];
      if (turn.kind === 'text') return [...begin, chunk(model, { content: turn.text }), ...end('stop')];
      const { id, type, function: called } = call(turn) as { id: string; type: string; function: Json };
      const text = String(called['arguments']);
      return [
        ...begin,
        chunk(model, { tool_calls: [{ index: 0, id, type, function: { name: called['name'], arguments: '' } }] }),
        ...[text.slice(0, 7), text.slice(7)].map((piece) =>
          chunk(model, { tool_calls: [{ index: 0, function: { arguments: piece } }] }),
        ),
        ...end('tool_calls'),
      ];
    },
    done: 'data: [DONE]\n\n',
  };
}

export const messagesSpoken: Spoken = {
  conversation: ({ messages }) => JSON.stringify(messages),
  tools: ({ tools }) => namesIn(tools, ({ name }) => name),
  whole: (turn, model) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [
      turn.kind === 'text'
        ? { type: 'text', text: turn.text }
        : { type: 'tool_use', id: nextId('toolu_'), name: turn.name, input: turn.input },
    ],
    stop_reason: turn.kind === 'text' ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 20 },
  }),
  events(turn, model) {
    const named = (data: Json): StreamedEvent => ({ name: String(data['type']), data });
    const block =
      turn.kind === 'call'
        ? { type: 'tool_use', id: nextId('toolu_'), name: turn.name, input: {} }
        : { type: 'text', text: '' };
    const delta = (piece: Json): StreamedEvent => named({ type: 'content_block_delta', index: 0, delta: piece });
    const begin = [
      named({
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model,
          content: [],
          stop_reason: null,
          usage: { input_tokens: 100, output_tokens: 1 },
        },
      }),
      named({ type: 'content_block_start', index: 0, content_block: block }),
    ];
    if (turn.kind === 'endless') return [...begin, delta({ type: 'text_delta', text: 'on and ' })];
    const said =
      turn.kind === 'text'
        ? { type: 'text_delta', text: turn.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(turn.input) };
    const reason = turn.kind === 'text' ? 'end_turn' : 'tool_use';
    return [
      ...begin,
      delta(said),
      named({ type: 'content_block_stop', index: 0 }),
      named({
        type: 'message_delta',
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: 20 },
      }),
      named({ type: 'message_stop' }),
    ];
  },
};

/** A signature in the form of Google's. */
export const googleSignature = 'EskgCsYgAb4+9vtF7/499YQS2bjZs3xcQI+iAl+I';

export const geminiSpoken: Spoken = {
  conversation: ({ contents }) => JSON.stringify(contents),
  tools: ({ tools }) =>
    (Array.isArray(tools) ? (tools as Json[]) : []).flatMap((tool) =>
      // LiteLLM writes the names of protocol buffers, which Google takes too.
      namesIn(tool['functionDeclarations'] ?? tool['function_declarations'], ({ name }) => name),
    ),
  whole: (turn, model) => geminiAnswer(turn, model),
  events: (turn, model) =>
    turn.kind === 'endless'
      ? [{ data: geminiPiece(model, [{ text: 'on and ' }]) }]
      : [{ data: geminiAnswer(turn, model) }],
};

const geminiPiece = (modelVersion: string, parts: Json[], finish: Json = {}): Json => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...finish }],
  modelVersion,
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
});

const geminiAnswer = (turn: Exclude<Turn, { kind: 'endless' }>, model: string): Json =>
  geminiPiece(
    model,
    [
      turn.kind === 'text'
        ? { text: turn.text }
        : { functionCall: { name: turn.name, args: turn.input }, thoughtSignature: googleSignature },
    ],
    { finishReason: 'STOP' },
  );

export const responsesSpoken: Spoken = {
  conversation: ({ input }) =>
    JSON.stringify((input as Json[]).filter(({ role }) => role !== 'system' && role !== 'developer')),
  tools: ({ tools }) => namesIn(tools, ({ name }) => name),
  whole: (turn, model) => response(model, 'completed', [outputItem(turn)]),
  events(turn, model) {
    const named = (data: Json): StreamedEvent => ({ name: String(data['type']), data });
    const created = named({ type: 'response.created', response: response(model, 'in_progress', []) });
    if (turn.kind === 'endless') {
      return [
        created,
        named({ type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta: 'on and ' }),
      ];
    }
    const item = outputItem(turn);
    const [begun, pieces] =
      turn.kind === 'text'
        ? [{ content: [] }, textPieces(turn.text)]
        : [{ arguments: '' }, argumentPieces(String(item['arguments']))];
    return [
      created,
      named({
        type: 'response.output_item.added',
        output_index: 0,
        item: { ...item, ...begun, status: 'in_progress' },
      }),
      ...pieces.map((piece) => named({ ...piece, item_id: item['id'], output_index: 0 })),
      named({ type: 'response.output_item.done', output_index: 0, item }),
      named({ type: 'response.completed', response: response(model, 'completed', [item]) }),
    ];
  },
};

const textPieces = (text: string): Json[] => {
  const part = (given: string): Json => ({ type: 'output_text', text: given, annotations: [] });
  return [
    { type: 'response.content_part.added', content_index: 0, part: part('') },
    { type: 'response.output_text.delta', content_index: 0, delta: text },
    { type: 'response.output_text.done', content_index: 0, text },
    { type: 'response.content_part.done', content_index: 0, part: part(text) },
  ];
};

const argumentPieces = (text: string): Json[] => [
  { type: 'response.function_call_arguments.delta', delta: text },
  { type: 'response.function_call_arguments.done', arguments: text },
];

const response = (model: string, status: string, output: Json[]): Json => ({
  id: nextId('resp_'),
  object: 'response',
  created_at: 1,
  status,
  model,
  output,
  usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 },
});

const outputItem = (turn: Exclude<Turn, { kind: 'endless' }>): Json =>
  turn.kind === 'text'
    ? {
        type: 'message',
        id: nextId('msg_'),
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: turn.text, annotations: [] }],
      }
    : {
        type: 'function_call',
        id: nextId('fc_'),
        call_id: nextId('call_'),
        status: 'completed',
        name: turn.name,
        arguments: JSON.stringify(turn.input),
      };

export const cohereSpoken: Spoken = {
  conversation: ({ messages }) => JSON.stringify((messages as Json[]).filter(({ role }) => role !== 'system')),
  tools: ({ tools }) => namesIn(tools, (tool) => (tool['function'] as Json | undefined)?.['name']),
  whole: (turn) => ({
    id: 'c-1',
    finish_reason: turn.kind === 'text' ? 'COMPLETE' : 'TOOL_CALL',
    message: {
      role: 'assistant',
      ...(turn.kind === 'text' ? { content: [{ type: 'text', text: turn.text }] } : { tool_calls: [cohereCall(turn)] }),
    },
    usage: { billed_units: { input_tokens: 100, output_tokens: 20 } },
  }),
  events(turn) {
    const named = (type: string, delta: Json, more: Json = {}): StreamedEvent => ({
      name: type,
      data: { type, ...more, delta },
    });
    const start = named('message-start', { message: { role: 'assistant' } }, { id: 'c-1' });
    const content = (text: string): StreamedEvent[] => [
      named('content-start', { message: { content: { type: 'text', text: '' } } }, { index: 0 }),
      named('content-delta', { message: { content: { text } } }, { index: 0 }),
    ];
    if (turn.kind === 'endless') return [start, ...content('on and ')];
    const end = named('message-end', {
      finish_reason: turn.kind === 'text' ? 'COMPLETE' : 'TOOL_CALL',
      usage: { billed_units: { input_tokens: 100, output_tokens: 20 } },
    });
    if (turn.kind === 'text') return [start, ...content(turn.text), named('content-end', {}, { index: 0 }), end];
    return [
      start,
      named('tool-call-start', { message: { tool_calls: cohereCall(turn) } }, { index: 0 }),
      named('tool-call-end', {}, { index: 0 }),
      end,
    ];
  },
};

const cohereCall = (turn: Extract<Turn, { kind: 'call' }>): Json => ({
  id: nextId('call_'),
  type: 'function',
  function: { name: turn.name, arguments: JSON.stringify(turn.input) },
});

export const sseOf = ({ name, data }: StreamedEvent): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
  (text) => Buffer.from(text, 'utf8'),
);

/** One event of a message in Bedrock's framing. */
export function awsFrameOf({ data }: StreamedEvent): Buffer {
  const bytes = Buffer.from(JSON.stringify(data)).toString('base64');
  const header = (value: string) => ({ type: 'string' as const, value });
  return Buffer.from(
    codec.encode({
      headers: {
        ':message-type': header('event'),
        ':event-type': header('chunk'),
        ':content-type': header('application/json'),
      },
      body: Buffer.from(JSON.stringify({ bytes })),
    }),
  );
}
