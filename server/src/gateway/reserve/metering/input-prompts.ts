import { type Fields, asFields, asList } from '../../../dialects/neutral/fields.js';
import { textsAtOnce } from '../../admit/guardrails/body-texts.js';
import { mediaTokens } from './media-tokens.js';
import type { PromptTexts } from './prompt.js';

/*
 * This file counts the input of embeddings, moderations and rerank (docs/reference/relay/token-counting.md#prompts).
 */

class InputPrompt implements PromptTexts {
  readonly texts: string[] = [];
  fixed = 0;
  unsized = 0;

  constructor(private readonly model: string) {}

  /** Counts the media in a value of any form. @returns the value without them */
  withoutMedia(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.withoutMedia(each));
    const fields = asFields(value);
    if (!fields) return value;
    const rest: Array<[string, unknown]> = [];
    for (const name in fields) {
      const media = mediaTokens(fields, name, this.model);
      this.fixed += media?.fixed ?? 0;
      this.unsized += media?.unsized ?? 0;
      if (!media) rest.push([name, this.withoutMedia(fields[name])]);
    }
    return Object.fromEntries(rest);
  }
}

/**
 * Counts a text, or a list whose entries count as one concatenated text. A list of numbers is a list of tokens. Of
 * objects all texts count, and media as in chat.
 */
export function inputPrompt(input: unknown, model: string): PromptTexts {
  const prompt = new InputPrompt(model);
  for (const entry of Array.isArray(input) ? (input as unknown[]) : [input]) {
    if (typeof entry === 'string') prompt.texts.push(entry);
    else if (typeof entry === 'number') prompt.fixed++;
    else if (Array.isArray(entry)) {
      for (const inner of entry as unknown[]) if (typeof inner === 'string') prompt.texts.push(inner);
      prompt.fixed += entry.length;
    } else prompt.texts.push(...textsAtOnce(prompt.withoutMedia(entry)));
  }
  return prompt;
}

/** Query and documents: the text of each, in order. */
export function rerankPrompt(body: Fields, model: string): PromptTexts {
  const prompt = new InputPrompt(model);
  for (const each of [body['query'], ...asList(body['documents'])]) {
    prompt.texts.push(documentText(prompt.withoutMedia(each)));
  }
  return prompt;
}

/** Returns what a provider reads of a document: a text, the text of an object, or an object of other fields as JSON. */
function documentText(document: unknown): string {
  const { text, ...others } = asFields(document) ?? { text: document };
  if (Object.keys(others).length > 0) return JSON.stringify(document);
  return typeof text === 'string' ? text : JSON.stringify(text ?? '');
}
