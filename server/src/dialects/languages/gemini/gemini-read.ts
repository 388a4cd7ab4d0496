import { writeJson } from '../../../shared/exact-json.js';
import { AppError } from '../../../shared/errors.js';
import { randomAlphanumeric } from '../../../shared/ids.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import type { NeutralAnswer, NeutralChoice } from '../../neutral/answer.js';
import { asFields, asFieldsList, asText, either, someNumber, someText, type Fields } from '../../neutral/fields.js';
import { toFinishReason, type FinishReason } from '../../neutral/finish-reason.js';
import { audioFormat, bareMediaType } from '../../neutral/media.js';
import type { Part } from '../../neutral/message.js';
import { readBlocked, readGeminiError } from './error.js';
import { annotationsOf, logprobsOf, queriesOf } from './gemini-extras.js';
import { noSearches, searchesOf, sumOfSearches, toGeminiUsage } from './gemini-usage.js';

/**
 * A complete response in the neutral form (docs/reference/providers/gemini-and-vertex.md#gemini-responses).
 * @throws UpstreamError when it reports an error or a blocked prompt; AppError UPSTREAM_INVALID_RESPONSE when it cannot
 * be read
 */
export function readGeminiAnswer(body: unknown): NeutralAnswer {
  const answer = asFields(Array.isArray(body) ? (body[0] as unknown) : body);
  if (!answer) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is invalid');
  const error = readGeminiError(answer) ?? readBlocked(answer);
  if (error) throw error;
  const candidates = asFieldsList(answer['candidates']);
  if (candidates.length === 0) {
    throw new UpstreamError(502, { message: 'No candidates returned', type: 'server_error', code: 500 });
  }
  const choices = candidates.map(readCandidate);
  const images = choices.flatMap((choice) => choice.parts).filter((part) => part.kind === 'image').length;
  return {
    id: asText(answer['responseId']),
    model: asText(answer['modelVersion']),
    choices,
    usage: toGeminiUsage(answer['usageMetadata'], images, candidates.map(searchesOf).reduce(sumOfSearches, noSearches)),
  };
}

function readCandidate(candidate: Fields, position: number): NeutralChoice {
  const parts = joined(asFieldsList(asFields(candidate['content'])?.['parts']).flatMap(readPart));
  const called = parts.some((part) => part.kind === 'toolCall');
  const annotations = annotationsOf(candidate);
  const text = parts.findLastIndex((part) => part.kind === 'text');
  const logprobs = logprobsOf(candidate);
  const searches = queriesOf(candidate);
  return {
    index: someNumber(candidate['index']) ?? position,
    parts:
      annotations.length > 0 && text >= 0
        ? parts.map((part, index) => (index === text && part.kind === 'text' ? { ...part, annotations } : part))
        : parts,
    finish: finishOf(candidate['finishReason'], called),
    ...(searches.length > 0 ? { searches } : {}),
    ...(logprobs ? { logprobs } : {}),
  };
}

/** Returns the finish reason. Google returns STOP even if the model called a function. */
export function finishOf(reason: unknown, called: boolean): FinishReason | null {
  const name = someText(reason);
  if (name === undefined || name === 'FINISH_REASON_UNSPECIFIED') return null;
  const finish = toFinishReason(name);
  return finish === 'stop' && called ? 'toolCalls' : finish;
}

/** Returns the neutral parts of one Gemini part. */
export function readPart(part: Fields): Part[] {
  const signature = someText(either(part, 'thoughtSignature', 'thought_signature'));
  const signed = signature === undefined ? {} : { signature };
  const call = asFields(part['functionCall']);
  if (call) {
    const id = someText(call['id']) ?? `call_${randomAlphanumeric(24)}`;
    return [{ kind: 'toolCall', id, name: asText(call['name']), arguments: argumentsIn(call['args']), ...signed }];
  }
  const inline = asFields(part['inlineData']);
  if (inline) return readInline(inline, signature);
  const code = asFields(part['executableCode']);
  if (code) return [{ kind: 'text', text: fenced(asText(code['language']).toLowerCase(), asText(code['code'])) }];
  const output = asFields(part['codeExecutionResult']);
  if (output) return [{ kind: 'text', text: fenced('output', asText(output['output'])) }];
  const text = asText(part['text']);
  if (part['thought'] === true)
    return text === '' && signature === undefined ? [] : [{ kind: 'reasoning', text, ...signed }];
  return text === '' && signature === undefined ? [] : [{ kind: 'text', text, ...signed }];
}

/** Google leaves out the arguments of a call that has none. Gateways may send them as text. */
const argumentsIn = (given: unknown): string =>
  typeof given === 'string' && given.trim() !== '' ? given : writeJson(asFields(given) ?? {});

const fenced = (language: string, text: string): string => `\n\`\`\`${language}\n${text.replace(/\n$/, '')}\n\`\`\`\n`;

function readInline(inline: Fields, signature: string | undefined): Part[] {
  const mediaType = bareMediaType(asText(inline['mimeType']));
  const data = asText(inline['data']);
  if (mediaType.startsWith('image/')) {
    return [
      { kind: 'image', source: { kind: 'base64', mediaType, data }, ...(signature === undefined ? {} : { signature }) },
    ];
  }
  const format = audioFormat(mediaType);
  return format === '' ? [] : [{ kind: 'audio', format, data }];
}

/** Joins adjacent texts and adjacent thoughts; a part with a signature ends a group. */
function joined(parts: readonly Part[]): Part[] {
  const out: Part[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    const joins =
      (part.kind === 'text' && last?.kind === 'text' && last.signature === undefined) ||
      (part.kind === 'reasoning' && last?.kind === 'reasoning' && last.signature === undefined);
    if (joins && last && 'text' in last) out[out.length - 1] = { ...part, text: last.text + part.text };
    else out.push(part);
  }
  return out;
}
