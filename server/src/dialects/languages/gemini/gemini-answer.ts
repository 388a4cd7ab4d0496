import type { NeutralAnswer, NeutralChoice } from '../../neutral/answer.js';
import { argumentsOf } from '../../neutral/arguments.js';
import type { AnswerContext } from '../../neutral/codec.js';
import { fromFinishReason } from '../../neutral/finish-reason.js';
import { audioType, imageType } from '../../neutral/media.js';
import type { Part } from '../../neutral/message.js';
import { toLogprobs } from './gemini-extras.js';
import { fromGeminiUsage } from './gemini-usage.js';
import type { Json } from '../../neutral/fields.js';

/** A complete response as a `GenerateContentResponse`. */
export const toGeminiAnswer = (answer: NeutralAnswer, context: AnswerContext): Json => ({
  candidates: answer.choices.map(toCandidate),
  ...(answer.usage ? { usageMetadata: fromGeminiUsage(answer.usage) } : {}),
  modelVersion: answer.model || context.model,
  responseId: answer.id || context.id,
});

const toCandidate = ({ index, parts, finish, logprobs }: NeutralChoice): Json => ({
  content: { parts: parts.flatMap(toParts), role: 'model' },
  finishReason: fromFinishReason(finish ?? 'stop', 'gemini-generate'),
  index,
  ...(logprobs ? toLogprobs(logprobs) : {}),
});

/** The signature field of a part, if any. */
export const signed = (signature: string | undefined): Json =>
  signature === undefined ? {} : { thoughtSignature: signature };

/** The Gemini parts of one part of a response. */
export function toParts(part: Part): Json[] {
  switch (part.kind) {
    case 'text':
      return [{ text: part.text, ...signed(part.signature) }];
    case 'refusal':
      return [{ text: part.text }];
    case 'reasoning':
      return part.redacted === undefined ? [{ text: part.text, thought: true, ...signed(part.signature) }] : [];
    case 'toolCall': {
      const { id, name } = part;
      return [{ functionCall: { id, name, args: argumentsOf(part.arguments) }, ...signed(part.signature) }];
    }
    case 'image':
      if (part.source.kind === 'base64')
        return [
          { inlineData: { mimeType: imageType(part.source), data: part.source.data }, ...signed(part.signature) },
        ];
      return part.source.kind === 'url' ? [{ fileData: { fileUri: part.source.url } }] : [];
    case 'audio':
      return part.data === '' ? [] : [{ inlineData: { mimeType: audioType(part.format || 'wav'), data: part.data } }];
    default:
      return [];
  }
}
