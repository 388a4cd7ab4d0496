import { randomInt } from 'node:crypto';
import { audioPart, filePart, mediaTokens } from './media-tokens.js';
import { listCounter, Prompt, type PromptTexts } from './prompt.js';
import { encodingOf, estimateTokens, isMedia, loadEncoding, textsIn } from './text-meter.js';
import { asFields, asFieldsList, type Fields } from '../../../dialects/neutral/fields.js';

const perCall = 3;
const perMessage = 3;
const perTool = 8;
/** Characters that are counted exactly. Further characters are estimated. */
const exactCharacters = 1024 * 1024;
/** Characters per slice. A slice takes about 13 ms for random letters, the worst case of the encoding. */
const sliceCharacters = 8 * 1024;

const countMessages = listCounter((message, prompt) => {
  prompt.fixed += perMessage;
  const { role, content, name, tool_calls: calls } = message;
  prompt.text(role);
  if (typeof content === 'string') prompt.text(content);
  else for (const part of asFieldsList(content)) countPart(part, prompt);
  if (typeof name === 'string' && name !== '' && content !== undefined && content !== null && content !== '') {
    prompt.fixed += 1;
    prompt.text(name);
  }
  for (const call of asFieldsList(calls)) {
    const called = asFields(call['function']);
    prompt.text(called?.['name']);
    prompt.text(called?.['arguments']);
  }
});

function countPart(part: Fields, prompt: Prompt): void {
  switch (part['type']) {
    case 'text':
      prompt.text(part['text']);
      break;
    case 'image_url': {
      const image = part['image_url'];
      prompt.image(typeof image === 'string' ? image : asFields(image)?.['url'], asFields(image)?.['detail']);
      break;
    }
    case 'input_audio':
      prompt.fixed += audioPart;
      break;
    case 'file':
      prompt.fixed += filePart;
  }
}

const countTools = listCounter((tool, prompt) => {
  prompt.fixed += perTool;
  const described = asFields(tool['function']) ?? tool;
  prompt.text(described['name']);
  prompt.text(described['description']);
  if (described['parameters'] !== undefined) prompt.text(JSON.stringify(described['parameters']));
});

/** The prompt of a chat call (docs/reference/relay/token-counting.md#prompts). */
export function chatPrompt({ messages, tools }: Fields, model: string): PromptTexts {
  const prompt = new Prompt(perCall);
  countMessages(messages, prompt);
  countTools(tools, prompt);
  prompt.countImages(model);
  return prompt;
}

/**
 * Prompt tokens of a call whose provider reported none. Long prompts are counted in slices, between which other calls
 * run. Never fails: uncountable content is estimated.
 */
export const countPrompt = ({ texts, fixed }: PromptTexts, model: string): Promise<number> =>
  countTexts(texts, model, fixed);

/** Characters that `countBySample` counts. They are taken in several pieces. */
const sampleCharacters = 64 * 1024;
const samplePieces = 32;

/**
 * Counts the tokens of a prompt, exactly up to 64 KB of text. In a longer prompt, pieces at random positions are
 * counted and the rest is assumed to be like them. This bounds the CPU time, and a client cannot choose text that is
 * counted as less than it is. Never fails.
 */
export async function countBySample({ texts, fixed }: PromptTexts, model: string): Promise<number> {
  let length = 0;
  for (const text of texts) length += text.length;
  if (length <= sampleCharacters) return countTexts(texts, model, fixed);
  const stride = length / samplePieces;
  const size = sampleCharacters / samplePieces;
  const pieces: string[] = [];
  let sampled = 0;
  let begin = 0;
  let next = 0;
  let at = randomInt(Math.max(1, Math.floor(stride - size)));
  for (const text of texts) {
    while (next < samplePieces && at < begin + text.length) {
      const piece = text.slice(at - begin, at - begin + size);
      pieces.push(piece);
      sampled += piece.length;
      next++;
      at = Math.floor(next * stride) + randomInt(Math.max(1, Math.floor(stride - size)));
    }
    begin += text.length;
  }
  const counted = await countTexts(pieces, model, 0);
  return fixed + Math.ceil((counted * length) / Math.max(1, sampled));
}

/**
 * Counts the tokens of texts separately, in slices between which other calls run. Never fails.
 * @param fixed added to the total
 */
export async function countTexts(texts: readonly string[], model: string, fixed: number): Promise<number> {
  const count = await loadEncoding(encodingOf(model)).catch(
    () => (text: string) => estimateTokens(Buffer.byteLength(text)),
  );
  let total = fixed;
  let left = exactCharacters;
  let sinceYield = 0;
  for (const text of texts) {
    for (let from = 0; from < text.length; from += sliceCharacters) {
      const slice = text.length <= sliceCharacters ? text : text.slice(from, from + sliceCharacters);
      if (left > 0) {
        total += count(slice);
        left -= slice.length;
        sinceYield += slice.length;
      } else {
        total += estimateTokens(Buffer.byteLength(slice));
      }
      if (sinceYield < sliceCharacters) continue;
      sinceYield = 0;
      await new Promise(setImmediate);
    }
  }
  return total;
}

/** Bytes. Smaller bodies are estimated by their length. */
const smallBody = 16 * 1024;

/**
 * Estimates the maximum prompt tokens for the reservation: bytes / 3, without counting. All bytes of a small body
 * count. In a large body only text counts, so that a megabyte of image data is not priced as text.
 */
export function estimatePrompt(rawBody: Buffer, body: Fields, model: string): number {
  if (rawBody.length <= smallBody) return estimateTokens(rawBody.length);
  const prompt = chatPrompt(body, model);
  let { fixed, bytes = 0 } = prompt;
  // Other dialects have their text and media in other fields.
  if (!('messages' in body)) {
    const texts = textsIn(body, (fields, name) => {
      const media = mediaTokens(fields, name, model);
      fixed += media?.fixed ?? 0;
      return media !== null || isMedia(fields, name);
    });
    bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  }
  return fixed + estimateTokens(bytes);
}
