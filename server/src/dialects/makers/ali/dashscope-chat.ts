import type { ChatCapability } from '../../contract.js';
import { asFields, asFieldsList, asList, someText, type Fields, type Json } from '../../neutral/fields.js';
import { toCount } from '../../languages/openai/usage.js';
import type { BodyRules, OpenAiVariant } from '../openai-compatible/variant.js';
import { streamed } from '../openai-compatible/openai-compatible.js';
import { aliError } from './ali-error.js';
import { unixSecond } from '../../../shared/clock.js';

const place = '/api/v1/services/aigc/text-generation/generation';

/** Models of text generation accept text only. */
const hasMedia = (body: Fields): boolean =>
  asFieldsList(body['messages']).some(({ content }) => asFieldsList(content).some(({ type }) => type !== 'text'));

/** DashScope has the messages in `input` and every other field in `parameters`. */
const inDashScopeForm =
  (rules: NonNullable<OpenAiVariant['rules']>): NonNullable<OpenAiVariant['rules']> =>
  (body, model, target): BodyRules => {
    const { changes, ...rest } = rules(body, model, target);
    const { model: _model, messages, stream, stream_options: _options, ...parameters } = { ...body, ...changes };
    const { max_completion_tokens: limit, ...others } = parameters;
    return {
      ...rest,
      changes: {
        ...Object.fromEntries(Object.keys({ ...body, ...changes }).map((name) => [name, undefined])),
        model: rest.model,
        input: { messages: asList(messages).map(withText) },
        parameters: {
          ...(limit === undefined ? {} : { max_tokens: limit }),
          ...others,
          result_format: 'message',
          ...(stream === true ? { incremental_output: true } : {}),
        },
      },
    };
  };

/** Content is one text. */
function withText(given: unknown): unknown {
  const message = asFields(given);
  if (!message) return given;
  const role = message['role'] === 'developer' ? 'system' : message['role'];
  if (!Array.isArray(message['content'])) return { ...message, role };
  const texts = asFieldsList(message['content']).map(({ text }) => text);
  return { ...message, role, content: texts.join('\n') };
}

/** Converts `{output: {choices}, usage, request_id}`; DashScope writes "null" for no reason yet. */
function toFamily(answer: Json, object: 'chat.completion' | 'chat.completion.chunk', now: number): Json {
  if (someText(answer['code']) !== undefined) throw aliError(answer);
  const output = asFields(answer['output']);
  // Calls with images are answered by the compatible API.
  if (!output) return answer;
  const isWhole = object === 'chat.completion';
  const usage = asFields(answer['usage']) ?? {};
  return {
    id: answer['request_id'],
    object,
    created: unixSecond(now),
    choices: asFieldsList(output['choices']).map(({ message, finish_reason: reason, ...choice }, index) => ({
      index,
      ...choice,
      [isWhole ? 'message' : 'delta']: message,
      finish_reason: reason === 'null' || reason === undefined ? null : reason,
    })),
    usage: {
      ...usage,
      prompt_tokens: toCount(usage['input_tokens']),
      completion_tokens: toCount(usage['output_tokens']),
      completion_tokens_details: usage['output_tokens_details'],
    },
  };
}

/**
 * Chat over DashScope's own API (docs/reference/providers/own-protocols.md#alibaba). Calls with images go to the compatible
 * API.
 */
export function dashScopeChat(compatible: ChatCapability, variant: OpenAiVariant): ChatCapability {
  const native = streamed(
    {
      ...variant,
      refusesStreamOptions: true,
      rules: inDashScopeForm(variant.rules ?? ((_body, model) => ({ model, changes: null }))),
      answer: (answer, { now }) => toFamily(answer, 'chat.completion', now),
      chunk: (chunk, { now }) => toFamily(chunk, 'chat.completion.chunk', now),
    },
    place,
  );
  return {
    ...native,
    toUpstreamRequest(request, target) {
      if (hasMedia(request.body)) return compatible.toUpstreamRequest(request, target);
      return native.toUpstreamRequest({ ...request, body: { ...request.body, stream: request.stream } }, target);
    },
  };
}
