import { areShared, asFieldsList, asList, ofEachPart, type Fields } from '../../../dialects/neutral/fields.js';
import { countedImage } from './media-tokens.js';

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

/** An image, whose tokens depend on the model. */
interface PromptImage {
  readonly url: unknown;
  readonly detail: unknown;
}

/** The size of a prompt. */
type Counted = Pick<Prompt, 'bytes' | 'fixed' | 'unsized' | 'images'>;

/** Collects the countable content of a prompt. Values of other types than expected count 0. */
export class Prompt implements PromptTexts {
  bytes = 0;
  unsized = 0;
  readonly images: PromptImage[] = [];
  private readonly held: Array<string | (() => readonly string[])> = [];

  /** @param fixed tokens that each prompt has */
  constructor(public fixed = 0) {}

  get texts(): readonly string[] {
    return this.held.flatMap((each) => (typeof each === 'string' ? each : each()));
  }

  text(value: unknown): void {
    if (typeof value !== 'string' || value === '') return;
    this.held.push(value);
    this.bytes += Buffer.byteLength(value);
  }

  /** Counts a value as JSON text. */
  json(value: unknown): void {
    if (value !== undefined && value !== null) this.text(typeof value === 'string' ? value : JSON.stringify(value));
  }

  image(url: unknown, detail: unknown): void {
    this.images.push({ url, detail });
  }

  /**
   * Adds content that was counted before.
   * @param texts returns its texts, which few calls need
   */
  add(counted: readonly Counted[], texts: () => readonly string[]): void {
    this.held.push(texts);
    for (const { bytes, fixed, unsized, images } of counted) {
      this.bytes += bytes;
      this.fixed += fixed;
      this.unsized += unsized;
      for (const image of images) this.images.push(image);
    }
  }

  /** Counts the images as those of a model. */
  countImages(model: string): void {
    for (const { url, detail } of this.images.splice(0)) {
      const { fixed, unsized } = countedImage(model, url, detail);
      this.fixed += fixed;
      this.unsized += unsized;
    }
  }
}

/**
 * Returns a function that counts the objects of a list, such as turns or tools. Those that an earlier body had are counted
 * once.
 */
export function listCounter(count: (entry: Fields, prompt: Prompt) => void): (list: unknown, prompt: Prompt) => void {
  const promptOf = (entries: readonly unknown[], prompt = new Prompt()): Prompt => {
    for (const entry of asFieldsList(entries)) count(entry, prompt);
    return prompt;
  };
  const textsOf = ofEachPart((entries) => promptOf(entries).texts);
  const countedOf = ofEachPart(
    (entries): Counted => {
      const { bytes, fixed, unsized, images } = promptOf(entries);
      return { bytes, fixed, unsized, images };
    },
    ({ images }) => images.length === 0,
  );
  return (given, prompt) => {
    const list = asList(given);
    if (areShared(list)) prompt.add(countedOf(list), () => textsOf(list).flat());
    else promptOf(list, prompt);
  };
}
