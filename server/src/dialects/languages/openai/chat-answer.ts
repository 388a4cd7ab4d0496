import { omitUndefined } from '../../../shared/omit-undefined.js';
import type { NeutralAnswer, NeutralChoice } from '../../neutral/answer.js';
import type { AnswerContext } from '../../neutral/codec.js';
import { fromFinishReason } from '../../neutral/finish-reason.js';
import { imageType, toDataUrl } from '../../neutral/media.js';
import type { AudioPart, ImagePart, Part } from '../../neutral/message.js';
import { googleExtra, thinkingBlocks, writeCall } from './chat-write-messages.js';
import { fromUsage, tierOf } from './usage.js';
import type { Json } from '../../neutral/fields.js';

/** A complete response as a chat completion. */
export const toChatAnswer = (answer: NeutralAnswer, context: AnswerContext): Json => ({
  id: chatId(answer.id, context),
  object: 'chat.completion',
  created: answer.created ?? context.created,
  model: answer.model || context.model,
  system_fingerprint: null,
  choices: answer.choices.map(toChoice),
  ...tierOf(answer.usage),
  ...(answer.usage ? { usage: fromUsage(answer.usage) } : {}),
});

/** The provider's id if it gave one. */
export const chatId = (id: string, context: AnswerContext): string => id || `chatcmpl-${context.id}`;

const toChoice = (choice: NeutralChoice): Json => ({
  index: choice.index,
  message: toMessage(choice.parts),
  logprobs: choice.logprobs ?? null,
  finish_reason: fromFinishReason(choice.finish ?? 'stop', 'openai-chat'),
});

function toMessage(parts: readonly Part[]): Json {
  const content = parts.map(contentOf).join('');
  const calls = parts.flatMap((part) => (part.kind === 'toolCall' ? writeCall(part, true) : []));
  const refusal = textOf(parts, 'refusal');
  const reasoning = textOf(parts, 'reasoning');
  const images = parts.flatMap((part) => (part.kind === 'image' ? part : []));
  const annotations = parts.flatMap((part) => (part.kind === 'text' ? (part.annotations ?? []) : []));
  const audio = parts.find((part) => part.kind === 'audio');
  const thinkingSignature = parts.findLast((part) => part.kind === 'text' && part.signature !== undefined);
  const proven = parts.some((part) => part.kind === 'reasoning' && (part.signature ?? part.redacted) !== undefined);
  return omitUndefined<Json>({
    role: 'assistant',
    content: content === '' && (calls.length > 0 || audio !== undefined || refusal !== '') ? null : content,
    reasoning_content: reasoning || undefined,
    thinking_blocks: proven ? thinkingBlocks(parts) : undefined,
    refusal: refusal || null,
    tool_calls: calls.length > 0 ? calls : undefined,
    audio: audio ? audioOf(audio) : undefined,
    images: images.length > 0 ? images.map(imageEntry) : undefined,
    annotations: annotations.length > 0 ? annotations : undefined,
    extra_content: thinkingSignature?.kind === 'text' ? googleExtra(thinkingSignature.signature) : undefined,
  });
}

const textOf = (parts: readonly Part[], kind: 'refusal' | 'reasoning'): string =>
  parts.map((part) => (part.kind === kind ? part.text : '')).join('');

const contentOf = (part: Part): string =>
  part.kind === 'text' ? part.text : part.kind === 'image' ? imageMarkdown(imageUrl(part)) : '';

const imageUrl = ({ source }: ImagePart): string =>
  source.kind === 'url' ? source.url : source.kind === 'base64' ? toDataUrl(imageType(source), source.data) : '';

/** Images are sent as text, for clients that only show text, and as objects. */
export const imageMarkdown = (url: string): string => `![image](${url})`;

const imageEntry = (part: ImagePart, index: number): Json => imageObject(imageUrl(part), index);

/** An image as an object beside the text of a message. */
export const imageObject = (url: string, index: number): Json => ({ type: 'image_url', image_url: { url }, index });

const audioOf = ({ id, data, transcript, expiresAt }: AudioPart): Json => ({
  id: id ?? '',
  data,
  transcript: transcript ?? '',
  expires_at: expiresAt ?? 0,
});
