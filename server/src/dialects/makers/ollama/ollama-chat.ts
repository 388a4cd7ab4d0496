import { omitUndefined } from '../../../shared/omit-undefined.js';
import { AppError } from '../../../shared/errors.js';
import type { ConversationCapability } from '../../contract.js';
import { readError, toUpstreamError } from '../../errors/read-upstream-error.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { callId } from '../../languages/openai/chat-read.js';
import { writeMessages } from '../../languages/openai/chat-write-messages.js';
import { toCount } from '../../languages/openai/usage.js';
import { calledNames, droppedBy } from '../../neutral/abilities.js';
import type { NeutralAnswer } from '../../neutral/answer.js';
import type { StreamReader, WrittenRequest } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { fieldName, unsupported } from '../../neutral/field-name.js';
import { asFields, asFieldsList, asText, parseFields, type Fields, type Json } from '../../neutral/fields.js';
import type { FinishReason } from '../../neutral/finish-reason.js';
import type { Part } from '../../neutral/message.js';
import { isOff, type NeutralRequest, type Reasoning } from '../../neutral/request.js';
import { runnableTools } from '../../neutral/runnable-tools.js';
import { noUsage, type Usage } from '../../../shared/usage.js';
import { LineFrames } from '../../wire/line-frames.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { bearerIfGiven } from '../openai-compatible/address.js';
import { baseOf, functionTool, jsonHeaders, oneAnswer, textPart } from '../openai-compatible/own-dialect.js';

/** A call of `/api/chat` (docs/reference/providers/own-protocols.md#ollama). */
function write(given: NeutralRequest): WrittenRequest {
  const dropped = droppedBy(given, {
    tools: true,
    responseFormats: true,
    reasoning: true,
    stop: true,
    maxOutput: true,
    sampling: ['temperature', 'topP', 'topK', 'seed', 'frequencyPenalty', 'presencePenalty'],
  });
  const request = runnableTools(given, dropped, ({ kind }) => kind === 'function');
  const { sampling, stop, responseFormat: format } = request;
  for (const { name } of request.messages) dropped.hint('name', name);
  const called = calledNames(request.messages);
  const place = fieldName(request.dialect, 'messages');
  const options = omitUndefined<Json>({
    num_predict: request.maxOutput,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    seed: sampling.seed,
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    stop: stop.length > 0 ? stop : undefined,
  });
  const body = omitUndefined<Json>({
    model: request.model,
    messages: writeMessages({ ...request, dialect: 'openai-responses' }, dropped, 'thinking').map((message) =>
      toMessage(message, called, place),
    ),
    // Ollama streams unless the request turns that off.
    stream: request.stream,
    tools: writeTools(request),
    think: writeThink(request.reasoning),
    format: format?.kind === 'schema' ? format.schema : format?.kind === 'json' ? 'json' : undefined,
    options: Object.keys(options).length > 0 ? options : undefined,
  });
  return { body, dropped: dropped.names };
}

/** Content is a text with images beside it, arguments are an object, and a result names its tool. */
function toMessage(message: Json, called: ReadonlyMap<string, string>, place: string): Json {
  const { role, content, thinking, tool_calls: calls, tool_call_id: id } = message;
  const parts = asFieldsList(content);
  const strange = parts.find(({ type }) => type !== 'text' && type !== 'image_url');
  if (strange) throw unsupported(place, `it does not support parts of type ${String(strange['type'])}`);
  const images = parts
    .filter(({ type }) => type === 'image_url')
    .map((part) => asText(asFields(part['image_url'])?.['url']).replace(/^data:[^,]*,/, ''));
  const texts = parts.filter(({ type }) => type === 'text').map(({ text }) => asText(text));
  return omitUndefined({
    role: role === 'developer' ? 'system' : role,
    content: typeof content === 'string' ? content : texts.join('\n'),
    thinking,
    images: images.length > 0 ? images : undefined,
    tool_calls: calls === undefined ? undefined : asFieldsList(calls).map(toCall),
    tool_name: role === 'tool' ? called.get(asText(id)) : undefined,
  });
}

function toCall({ function: called }: Fields): Json {
  const { name, arguments: text } = asFields(called) ?? {};
  return { function: { name, arguments: parseFields(asText(text)) ?? {} } };
}

/** @throws AppError UNSUPPORTED_BY_CHANNEL when the call requires a tool: the model cannot be forced */
function writeTools({ tools, toolChoice, dialect }: NeutralRequest): Json[] | undefined {
  const allowed = toolChoice?.mode === 'allowed' ? toolChoice : undefined;
  const isFree = toolChoice === undefined || toolChoice.mode === 'auto' || toolChoice.mode === 'none';
  if (!isFree && (!allowed || allowed.required)) {
    throw unsupported(fieldName(dialect, 'toolChoice'), 'it cannot require a tool');
  }
  const offered = toolChoice?.mode === 'none' ? [] : tools.filter(({ name }) => allowed?.names.includes(name) ?? true);
  return offered.length > 0 ? offered.map(functionTool) : undefined;
}

const levels: Partial<Record<string, string>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

/** Some models have levels; for the others, each level means that they think. */
function writeThink(reasoning: Reasoning | undefined): boolean | string | undefined {
  if (!reasoning) return undefined;
  if (isOff(reasoning)) return false;
  return reasoning.effort === undefined ? true : (levels[reasoning.effort] ?? true);
}

/** The prompt includes its cached tokens. Older versions omit the count of a cached prompt. */
function usageOf(answer: Fields): Usage | null {
  const [promptTokens, completionTokens] = [toCount(answer['prompt_eval_count']), toCount(answer['eval_count'])];
  const cachedTokens = Math.min(toCount(answer['prompt_eval_cached_count']), promptTokens);
  return promptTokens + completionTokens === 0 ? null : { ...noUsage, promptTokens, completionTokens, cachedTokens };
}

const finishOf = (reason: unknown, calls: number): FinishReason =>
  reason === 'length' ? 'length' : calls > 0 ? 'toolCalls' : 'stop';

const callsOf = (message: Fields): Array<{ id: string; name: string; arguments: string }> =>
  asFieldsList(message['tool_calls']).map((call) => {
    const called = asFields(call['function']) ?? {};
    return {
      id: callId(asText(call['id'])),
      name: asText(called['name']),
      arguments: JSON.stringify(asFields(called['arguments']) ?? {}),
    };
  });

/** @throws UpstreamError when it reports an error; AppError UPSTREAM_INVALID_RESPONSE when it is not a response */
function read(body: unknown): NeutralAnswer {
  const answer = asFields(body);
  const message = asFields(answer?.['message']);
  if (!answer || !message) {
    const error = readError(answer);
    if (error) throw new UpstreamError(502, error);
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not a message');
  }
  const calls = callsOf(message);
  const thought = asText(message['thinking']);
  const parts: Part[] = [
    ...(thought === '' ? [] : [{ kind: 'reasoning', text: thought } as const]),
    ...textPart(asText(message['content'])),
    ...calls.map((call): Part => ({ kind: 'toolCall', ...call })),
  ];
  return oneAnswer({ id: '' }, parts, finishOf(answer['done_reason'], calls.length), usageOf(answer));
}

const choice = 0;

class OllamaStreamReader implements StreamReader {
  private calls = 0;
  done = false;

  push({ data }: ServerEvent): NeutralEvent[] {
    const piece = parseFields(data);
    if (!piece) return [];
    if (piece['error'] !== undefined) return [{ kind: 'error', error: toUpstreamError(502, data) }];
    const message = asFields(piece['message']) ?? {};
    const events: NeutralEvent[] = [];
    const [thought, text] = [asText(message['thinking']), asText(message['content'])];
    if (thought !== '') events.push({ kind: 'reasoning', choice, text: thought });
    if (text !== '') events.push({ kind: 'text', choice, text });
    for (const { id, name, arguments: given } of callsOf(message)) {
      const index = this.calls++;
      events.push({ kind: 'toolStart', choice, index, id, name });
      events.push({ kind: 'toolDelta', choice, index, text: given }, { kind: 'toolEnd', choice, index });
    }
    if (piece['done'] !== true) return events;
    this.done = true;
    const usage = usageOf(piece);
    return [
      ...events,
      { kind: 'finish', choice, reason: finishOf(piece['done_reason'], this.calls) },
      ...(usage ? [{ kind: 'usage', usage } as const] : []),
    ];
  }
}

/** Chat at `/api/chat`, for servers that offer nothing else. */
export const ollamaChat: ConversationCapability = {
  codec: () => ({ dialect: 'own', write, read, openReader: () => new OllamaStreamReader(), fetches: () => false }),
  openFrames: () => new LineFrames(),
  toUpstreamRequest: (body, { stream }, target) => ({
    method: 'POST',
    url: `${baseOf(target)}/api/chat`,
    headers: { ...jsonHeaders(false), ...(stream ? { accept: 'application/x-ndjson' } : {}), ...bearerIfGiven(target) },
    body: JSON.stringify(body),
  }),
};
