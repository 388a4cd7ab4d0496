import { randomInt } from 'node:crypto';
import { audioPart, countedImage, filePart, mediaTokens } from './media-tokens.js';
import { encodingOf, estimateTokens, isMedia, loadEncoding, textsIn } from './text-meter.js';
import { asFields, type Fields } from '../../../dialects/neutral/fields.js';

const perCall = 3;
const perMessage = 3;
const perTool = 8;
/** Characters that are counted exactly. Further characters are estimated. */
const exactCharacters = 1024 * 1024;
/** Characters per slice. A slice takes about 13 ms for random letters, the worst case of the encoding. */
const sliceCharacters = 8 * 1024;

/** A prompt in the form in which it is counted. */
export interface PromptTexts {
  readonly texts: readonly string[];
  /** Tokens of all content that is not text. */
  readonly fixed: number;
  /** Tokens that images of unknown size may have beyond those in `fixed`. Absent: none. */
  readonly unsized?: number;
  /** Bytes of the texts. Absent: they were not measured. */
  readonly bytes?: number;
}

/** Collects the countable content of a prompt: texts, and tokens that are already known. */
class PromptParts implements PromptTexts {
  readonly texts: string[] = [];
  fixed = perCall;
  unsized = 0;

  constructor(private readonly model: string) {}

  /** Counts a text; other values count 0. */
  text(value: unknown): void {
    if (typeof value === 'string' && value !== '') this.texts.push(value);
  }

  /** Counts one message: content, name, tool calls. */
  message(message: Fields): void {
    this.fixed += perMessage;
    this.text(message['role']);
    const content = message['content'];
    if (typeof content === 'string') this.text(content);
    else if (Array.isArray(content)) for (const part of content) this.part(asFields(part));
    const name = message['name'];
    if (typeof name === 'string' && name !== '' && content !== undefined && content !== null && content !== '') {
      this.fixed += 1;
      this.text(name);
    }
    const calls = message['tool_calls'];
    if (!Array.isArray(calls)) return;
    for (const call of calls) {
      const called = asFields(asFields(call)?.['function']);
      this.text(called?.['name']);
      this.text(called?.['arguments']);
    }
  }

  /** Counts one tool definition. */
  tool(tool: Fields): void {
    this.fixed += perTool;
    const described = asFields(tool['function']) ?? tool;
    this.text(described['name']);
    this.text(described['description']);
    if (described['parameters'] !== undefined) this.text(JSON.stringify(described['parameters']));
  }

  private part(part: Fields | null): void {
    if (!part) return;
    switch (part['type']) {
      case 'text':
        return this.text(part['text']);
      case 'image_url':
        return this.image(part['image_url']);
      case 'input_audio':
        this.fixed += audioPart;
        return;
      case 'file':
        this.fixed += filePart;
    }
  }

  private image(image: unknown): void {
    const url = typeof image === 'string' ? image : asFields(image)?.['url'];
    const { fixed, unsized } = countedImage(this.model, url, asFields(image)?.['detail']);
    this.fixed += fixed;
    this.unsized += unsized;
  }
}

function partsOf(body: Fields, model: string): PromptParts {
  const parts = new PromptParts(model);
  const { messages, tools } = body;
  if (Array.isArray(messages)) for (const message of messages) parts.message(asFields(message) ?? {});
  if (Array.isArray(tools)) for (const tool of tools) parts.tool(asFields(tool) ?? {});
  return parts;
}

/** The prompt of a chat call (docs/reference/relay/token-counting.md#prompts). */
export const chatPrompt = (body: Fields, model: string): PromptTexts => partsOf(body, model);

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
  const parts = partsOf(body, model);
  let { fixed, texts } = parts as PromptTexts;
  // Other dialects have their text and media in other fields.
  if (!('messages' in body)) {
    texts = textsIn(body, (fields, name) => {
      const media = mediaTokens(fields, name, model);
      fixed += media?.fixed ?? 0;
      return media !== null || isMedia(fields, name);
    });
  }
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return fixed + estimateTokens(bytes);
}
