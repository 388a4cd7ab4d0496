import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { chat, json, openStream, writeOrLeave } from './replies.js';
import type { ReceivedRequest, Reply } from './upstream.js';

/** A model's response, independent of the provider. */
export interface Said {
  readonly text: string;
  readonly tool?: { readonly name: string; readonly input: Readonly<Record<string, unknown>> };
  /** An object instead of the text. It is returned as JSON, or through the tool that the call forces. */
  readonly object?: Readonly<Record<string, unknown>>;
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  /** Delay between two events of a stream. */
  readonly gapMilliseconds?: number;
}

/** The model of each family in these tests, with the type of its channel. */
export const families = [
  { name: 'OpenAI', type: 1, model: 'gpt-4o' },
  { name: 'Anthropic', type: 14, model: 'claude-sonnet-4-20250514' },
  { name: 'Google', type: 24, model: 'gemini-2.0-flash' },
] as const;

/** Returns the same content in the dialect of any family, streamed or not. */
export function says(given: Said): Reply {
  return (response, request) => {
    const said = given.object ? sayingObject(given, given.object, request) : given;
    if (request.path.startsWith('/v1/messages')) return sayAnthropic(said, response, request);
    if (request.path.includes('enerateContent')) return sayGoogle(said, response, request);
    if (request.path.startsWith('/v1beta/interactions')) return sayInteraction(said, response, request);
    if (request.path.startsWith('/v1/responses')) return sayResponses(said, response, request);
    return sayOpenAI(said)(response, request);
  };
}

function sayingObject(said: Said, object: Readonly<Record<string, unknown>>, { body }: ReceivedRequest): Said {
  const forced = body?.tool_choice as { type?: string; name?: string } | undefined;
  return forced?.type === 'tool' && forced.name
    ? { ...said, tool: { name: forced.name, input: object } }
    : { ...said, text: JSON.stringify(object) };
}

/** Refuses in the dialect of any family. */
export const refuses =
  (status: number, message: string): Reply =>
  (response, request) => {
    const anthropic = { type: 'error', error: { type: anthropicType(status), message } };
    const google = { error: { code: status, message, status: 'FAILED' } };
    const openai = { error: { message, type: 'some_type', param: null, code: 'some_code' } };
    const body = request.path.startsWith('/v1/messages')
      ? anthropic
      : request.path.includes('enerateContent')
        ? google
        : openai;
    return json(body, status)(response, request);
  };

const anthropicType = (status: number): string =>
  ({
    400: 'invalid_request_error',
    401: 'authentication_error',
    403: 'permission_error',
    404: 'not_found_error',
    429: 'rate_limit_error',
  })[status] ?? 'api_error';

const usageOf = ({ promptTokens = 20, completionTokens = 10 }: Said): { input: number; output: number } => ({
  input: promptTokens,
  output: completionTokens,
});

/** Splits a text into stream chunks. */
const pieces = (text: string): string[] => text.match(/.{1,8}/gs) ?? [];

function sayOpenAI(said: Said): Reply {
  const { input, output } = usageOf(said);
  const { tool, gapMilliseconds } = said;
  const call = tool && {
    id: 'call_1',
    type: 'function',
    function: { name: tool.name, arguments: JSON.stringify(tool.input) },
  };
  return chat({
    text: pieces(said.text),
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    ...(call ? { toolCalls: [call] } : {}),
    ...(gapMilliseconds === undefined ? {} : { gapMilliseconds }),
  });
}

async function sayAnthropic(said: Said, response: ServerResponse, request: ReceivedRequest): Promise<void> {
  const { input, output } = usageOf(said);
  const { tool } = said;
  const stop = tool ? 'tool_use' : 'end_turn';
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: request.model, stop_sequence: null };
  if (!request.stream) {
    const content = tool
      ? [{ type: 'tool_use', id: 'toolu_1', name: tool.name, input: tool.input }]
      : [{ type: 'text', text: said.text }];
    const usage = { input_tokens: input, output_tokens: output };
    await json({ ...head, content, stop_reason: stop, usage })(response, request);
    return;
  }
  const block = tool ? { type: 'tool_use', id: 'toolu_1', name: tool.name, input: {} } : { type: 'text', text: '' };
  const deltas = tool
    ? pieces(JSON.stringify(tool.input)).map((partial) => ({ type: 'input_json_delta', partial_json: partial }))
    : pieces(said.text).map((text) => ({ type: 'text_delta', text }));
  const start = { ...head, content: [], stop_reason: null, usage: { input_tokens: input, output_tokens: 1 } };
  await sayEvents(response, said, [
    { type: 'message_start', message: start },
    { type: 'content_block_start', index: 0, content_block: block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: output } },
    { type: 'message_stop' },
  ]);
}

/** One step. A stream has it in its last event. */
async function sayInteraction(said: Said, response: ServerResponse, request: ReceivedRequest): Promise<void> {
  const { input, output } = usageOf(said);
  const { tool } = said;
  const step = tool
    ? { type: 'function_call', id: 'call_1', name: tool.name, arguments: tool.input }
    : { type: 'model_output', content: [{ type: 'text', text: said.text }] };
  const usage = { total_input_tokens: input, total_output_tokens: output, total_tokens: input + output };
  const interaction = { id: 'v1_i', model: request.model, status: 'completed', steps: [step], usage };
  if (!request.stream) return json(interaction)(response, request);
  await sayEvents(response, said, [
    { type: 'interaction.completed', event_type: 'interaction.completed', interaction },
  ]);
}

async function sayGoogle(said: Said, response: ServerResponse, request: ReceivedRequest): Promise<void> {
  const { input, output } = usageOf(said);
  const usageMetadata = { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output };
  const { tool } = said;
  const chunk = (part: object, finish?: string): Record<string, unknown> => ({
    candidates: [{ content: { role: 'model', parts: [part] }, index: 0, ...(finish ? { finishReason: finish } : {}) }],
    usageMetadata,
    modelVersion: 'gemini-2.0-flash',
    responseId: 'response-1',
  });
  if (tool) {
    const call = chunk({ functionCall: { name: tool.name, args: tool.input } }, 'STOP');
    if (request.path.includes('stream')) await sayEvents(response, said, [call], false);
    else await json(call)(response, request);
    return;
  }
  if (!request.path.includes('stream')) {
    await json(chunk({ text: said.text }, 'STOP'))(response, request);
    return;
  }
  const texts = pieces(said.text);
  await sayEvents(
    response,
    said,
    texts.map((text, index) => chunk({ text }, index === texts.length - 1 ? 'STOP' : undefined)),
    false,
  );
}

async function sayResponses(said: Said, response: ServerResponse, request: ReceivedRequest): Promise<void> {
  const { input, output } = usageOf(said);
  const { tool } = said;
  const item = tool
    ? {
        id: 'fc_1',
        type: 'function_call',
        status: 'completed',
        call_id: 'call_1',
        name: tool.name,
        arguments: JSON.stringify(tool.input),
      }
    : {
        id: 'msg_1',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: said.text, annotations: [] }],
      };
  const whole = {
    id: 'resp_1',
    object: 'response',
    created_at: 1_763_600_000,
    model: request.model,
    error: null,
    status: 'completed',
    output: [item],
    parallel_tool_calls: true,
    tools: [],
    tool_choice: 'auto',
    usage: {
      input_tokens: input,
      output_tokens: output,
      total_tokens: input + output,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
  if (!request.stream) {
    await json(whole)(response, request);
    return;
  }
  const begun = { ...whole, status: 'in_progress', output: [], usage: null };
  const place = { item_id: item.id, output_index: 0 };
  const inside = tool
    ? [
        { type: 'response.function_call_arguments.delta', ...place, delta: JSON.stringify(tool.input) },
        { type: 'response.function_call_arguments.done', ...place, arguments: JSON.stringify(tool.input) },
      ]
    : [
        {
          type: 'response.content_part.added',
          ...place,
          content_index: 0,
          part: { type: 'output_text', text: '', annotations: [] },
        },
        ...pieces(said.text).map((delta) => ({
          type: 'response.output_text.delta',
          ...place,
          content_index: 0,
          delta,
        })),
      ];
  const opening = tool ? { ...item, status: 'in_progress', arguments: '' } : { ...item, content: [] };
  const events: Array<{ readonly type: string; readonly [more: string]: unknown }> = [
    { type: 'response.created', response: begun },
    { type: 'response.output_item.added', output_index: 0, item: opening },
    ...inside,
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: whole },
  ];
  await sayEvents(
    response,
    said,
    events.map((event, sequence) => ({ ...event, sequence_number: sequence })),
  );
}

/** Events with names, as Anthropic and Responses send them; Google's have none. */
async function sayEvents(
  response: ServerResponse,
  said: Said,
  data: ReadonlyArray<Readonly<Record<string, unknown>>>,
  withNames = true,
): Promise<void> {
  openStream(response);
  for (const event of data) {
    const name = withNames ? `event: ${String(event['type'])}\n` : '';
    if (!(await writeOrLeave(response, `${name}data: ${JSON.stringify(event)}\n\n`))) return;
    if (said.gapMilliseconds) await delay(said.gapMilliseconds);
  }
  response.end();
}
