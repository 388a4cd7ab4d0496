import type { NeutralAnswer } from '../../neutral/answer.js';
import type { AnswerContext } from '../../neutral/codec.js';
import { argumentsOf } from '../../neutral/arguments.js';
import { fromFinishReason, type FinishReason } from '../../neutral/finish-reason.js';
import { imageType, toDataUrl } from '../../neutral/media.js';
import type { ImagePart, Part } from '../../neutral/message.js';
import { noUsage } from '../../../shared/usage.js';
import { fromClaudeUsage } from './usage.js';
import { declaresWebSearch } from '../../neutral/web-search.js';
import { searchBlocks } from './search-blocks.js';
import type { Fields, Json } from '../../neutral/fields.js';

/** Returns a complete response as a message (docs/reference/providers/anthropic.md#chat-completion-to-message). */
export function toMessage(answer: NeutralAnswer, context: AnswerContext): Json {
  const [choice] = answer.choices;
  const parts = choice?.parts ?? [];
  const found = declaresWebSearch(context.body)
    ? searchBlocks({ queries: choice?.searches ?? [], annotations: parts.flatMap(annotationsOf) })
    : [];
  const at = Math.max(
    0,
    parts.findIndex(({ kind }) => kind === 'text'),
  );
  const content = [...parts.slice(0, at).flatMap(toBlocks), ...found, ...parts.slice(at).flatMap(toBlocks)];
  return {
    id: messageId(answer.id, context),
    type: 'message',
    role: 'assistant',
    model: answer.model || context.model,
    content,
    ...stopOf(choice?.finish ?? 'stop', choice?.stopSequence),
    usage: fromClaudeUsage(answer.usage ?? noUsage),
  };
}

const annotationsOf = (part: Part): readonly Fields[] => (part.kind === 'text' ? (part.annotations ?? []) : []);

/** Returns the provider's id, or a generated one in Anthropic's form. */
export const messageId = (id: string, context: AnswerContext): string =>
  id.startsWith('msg_') ? id : `msg_${id || context.id}`;

/** Returns the stop reason and stop sequence of a message. */
export const stopOf = (finish: FinishReason, stopSequence: string | undefined): Json => ({
  stop_reason:
    finish === 'stop' && stopSequence !== undefined ? 'stop_sequence' : fromFinishReason(finish, 'anthropic-messages'),
  stop_sequence: stopSequence ?? null,
});

function toBlocks(part: Part): Json[] {
  switch (part.kind) {
    case 'text':
      return [
        ...(part.text === '' ? [] : [{ type: 'text', text: part.text }]),
        ...(part.signature === undefined ? [] : [thought('', part.signature)]),
      ];
    case 'refusal':
      return [{ type: 'text', text: part.text }];
    case 'reasoning':
      return [
        part.redacted === undefined
          ? thought(part.text, part.signature ?? '')
          : { type: 'redacted_thinking', data: part.redacted },
      ];
    case 'toolCall':
      return [
        ...(part.signature === undefined ? [] : [thought('', part.signature)]),
        { type: 'tool_use', id: part.id, name: part.name, input: argumentsOf(part.arguments) },
      ];
    case 'image':
      return [{ type: 'text', text: imageText(part) }];
    default:
      return [];
  }
}

const thought = (thinking: string, signature: string): Json => ({ type: 'thinking', thinking, signature });

/** Messages cannot contain images in a response, so they become text. */
export const imageText = ({ source }: Pick<ImagePart, 'source'>): string => {
  const url =
    source.kind === 'url' ? source.url : source.kind === 'base64' ? toDataUrl(imageType(source), source.data) : '';
  return `![image](${url})`;
};
