import { writeJson } from '../../../shared/exact-json.js';
import { AppError } from '../../../shared/errors.js';
import { randomAlphanumeric } from '../../../shared/ids.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { proofsIn } from './reasoning-details.js';
import type { NeutralAnswer, NeutralChoice } from '../../neutral/answer.js';
import { asFields, asFieldsList, asText, someNumber, someText, type Fields } from '../../neutral/fields.js';
import { toFinishReason, type FinishReason } from '../../neutral/finish-reason.js';
import type { Part, ReasoningPart } from '../../neutral/message.js';
import { readError } from '../../errors/read-upstream-error.js';
import { chatUsage } from './usage.js';

/**
 * A complete chat completion in the neutral form.
 * @throws UpstreamError when it reports an error; AppError UPSTREAM_INVALID_RESPONSE when it is not a chat completion
 */
export function readChatAnswer(body: unknown): NeutralAnswer {
  const answer = asFields(body);
  const error = answer?.['error'] ? readError(answer) : null;
  if (error) throw new UpstreamError(502, error);
  if (!answer || !Array.isArray(answer['choices'])) {
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not a chat completion');
  }
  const created = someNumber(answer['created']);
  return {
    id: asText(answer['id']),
    model: asText(answer['model']),
    ...(created === undefined ? {} : { created }),
    choices: asFieldsList(answer['choices']).map(readChoice),
    usage: chatUsage(answer),
  };
}

function readChoice(choice: Fields, position: number): NeutralChoice {
  const message = asFields(choice['message']) ?? {};
  const parts = [
    ...readReasoning(message),
    ...annotateText(signText(readContent(message['content']), message), message),
    ...readRest(message),
  ];
  const logprobs = asFields(choice['logprobs']);
  return {
    index: someNumber(choice['index']) ?? position,
    parts,
    finish: finishOf(
      choice['finish_reason'],
      parts.some((part) => part.kind === 'toolCall'),
    ),
    ...(logprobs ? { logprobs } : {}),
  };
}

/** With a forced tool call, OpenAI finishes with `stop`; other dialects expect the reason for tool calls. */
export function finishOf(reason: unknown, calledTools: boolean): FinishReason | null {
  const name = someText(reason);
  if (name === undefined) return null;
  const finish = toFinishReason(name);
  return finish === 'stop' && calledTools ? 'toolCalls' : finish;
}

/** Text, or the list of parts that some providers return. */
export function readContent(content: unknown): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return asFieldsList(content).flatMap((part): Part[] => {
    const text = someText(part['text']);
    if (part['type'] === 'thinking') return [{ kind: 'reasoning', text: thoughtOf(part['thinking']) }];
    if (part['type'] === 'refusal') return [{ kind: 'refusal', text: asText(part['refusal']) }];
    if (part['type'] === 'image_url') return readImages([part]);
    return text === undefined ? [] : [{ kind: 'text', text }];
  });
}

/** Attaches the thinking signature, which is stored beside the content. */
function signText(parts: Part[], message: Fields): Part[] {
  const signature = signatureOf(message);
  if (signature === undefined) return parts;
  const last = parts.at(-1);
  return last?.kind === 'text'
    ? [...parts.slice(0, -1), { ...last, signature }]
    : [...parts, { kind: 'text', text: '', signature }];
}

/** The sources of a text are next to it as well. */
function annotateText(parts: Part[], message: Fields): Part[] {
  const annotations = asFieldsList(message['annotations']);
  const at = parts.findLastIndex((part) => part.kind === 'text');
  if (annotations.length === 0 || at < 0) return parts;
  return parts.map((part, index) => (index === at && part.kind === 'text' ? { ...part, annotations } : part));
}

/** Thinking as text, or as a list of objects with text. */
export const thoughtOf = (thinking: unknown): string =>
  typeof thinking === 'string'
    ? thinking
    : asFieldsList(thinking)
        .map((piece) => asText(piece['text']))
        .join('');

/** Providers use different names: `reasoning_content`, `reasoning`. */
export const reasoningText = (message: Fields): string =>
  asText(message['reasoning_content']) || asText(message['reasoning']);

/** Returns the blocks of Claude's thinking, which gateways send beside the plain text. */
export const thinkingBlocks = (message: Fields): ReasoningPart[] =>
  asFieldsList(message['thinking_blocks']).map((block) => {
    const redacted = block['type'] === 'redacted_thinking' ? someText(block['data']) : undefined;
    if (redacted !== undefined) return { kind: 'reasoning', text: '', redacted };
    const signature = someText(block['signature']);
    return { kind: 'reasoning', text: asText(block['thinking']), ...(signature === undefined ? {} : { signature }) };
  });

function readReasoning(message: Fields): Part[] {
  const blocks = thinkingBlocks(message);
  if (blocks.length > 0) return blocks;
  const text = reasoningText(message);
  const proofs = proofsIn(message);
  // The first signature belongs to the text.
  const own = proofs[0]?.redacted === undefined ? proofs.shift() : undefined;
  const others = proofs.map((proof): Part => ({ kind: 'reasoning', text: '', ...proof }));
  return text === '' && !own ? others : [{ kind: 'reasoning', text, ...own }, ...others];
}

function readRest(message: Fields): Part[] {
  const refusal = someText(message['refusal']);
  return [
    ...(refusal === undefined ? [] : [{ kind: 'refusal', text: refusal } as const]),
    ...readAudio(asFields(message['audio'])),
    ...readImages(asFieldsList(message['images'])),
    ...asFieldsList(message['tool_calls']).map(readCall),
    ...readLegacyCall(asFields(message['function_call'])),
  ];
}

function readAudio(audio: Fields | null): Part[] {
  if (!audio) return [];
  return [
    {
      kind: 'audio',
      format: '',
      data: asText(audio['data']),
      id: someText(audio['id']),
      transcript: someText(audio['transcript']),
      expiresAt: someNumber(audio['expires_at']),
    },
  ];
}

/** Reads images next to the text of a message. */
export const readImages = (images: readonly Fields[]): Part[] =>
  images.flatMap((image): Part[] => {
    const url = asText(asFields(image['image_url'])?.['url']);
    const head = /^data:([^;,]*);base64,/.exec(url);
    if (head) {
      return [{ kind: 'image', source: { kind: 'base64', mediaType: head[1] ?? '', data: url.slice(head[0].length) } }];
    }
    return url === '' ? [] : [{ kind: 'image', source: { kind: 'url', url } }];
  });

/** Some providers give calls no id. A client and its tool results need an id that no other call has. */
export const callId = (given: unknown): string => asText(given) || `call_${randomAlphanumeric(24)}`;

function readCall(call: Fields): Part {
  const id = callId(call['id']);
  const signature = signatureOf(call);
  const signed = signature === undefined ? {} : { signature };
  const custom = asFields(call['custom']);
  if (custom) {
    return {
      kind: 'toolCall',
      id,
      name: asText(custom['name']),
      arguments: asText(custom['input']),
      custom: true,
      ...signed,
    };
  }
  const called = asFields(call['function']) ?? {};
  const given = called['arguments'];
  // Some providers return parsed arguments.
  const text = asFields(given) ? writeJson(given) : asText(given);
  return { kind: 'toolCall', id, name: asText(called['name']), arguments: text, ...signed };
}

/** The thinking signature of a message or call, in Google's position. */
export const signatureOf = (holder: Fields): string | undefined =>
  someText(asFields(asFields(holder['extra_content'])?.['google'])?.['thought_signature']);

const readLegacyCall = (call: Fields | null): Part[] =>
  call ? [{ kind: 'toolCall', id: callId(''), name: asText(call['name']), arguments: asText(call['arguments']) }] : [];
