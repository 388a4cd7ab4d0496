import { nextSlice } from '../../../shared/slices.js';

/** Fields that hold media, ids and names of the protocol. A masked part of them would break the call. */
const kept: ReadonlySet<string> = new Set([
  ...['data', 'image_url', 'file_data', 'b64_json', 'url', 'signature', 'thoughtSignature', 'encrypted_content'],
  ...['model', 'role', 'type', 'id', 'call_id', 'tool_call_id', 'tool_use_id', 'item_id', 'previous_response_id'],
  ...['object', 'name', 'format', 'mimeType', 'mime_type', 'media_type', 'finish_reason', 'stop_reason', 'status'],
  ...['finishReason', 'system_fingerprint', 'responseId', 'modelVersion', 'prompt_cache_key', 'created_at'],
]);
/** Fields of a body that hold what is ranked. A provider reads every field of them as text. */
const ranked: ReadonlySet<string> = new Set(['query', 'documents']);
/** Maximum depth that is searched. Bodies are not nested deeper, so no text evades a rule by its depth. */
const maxDepth = 128;

/** Values that are visited in one turn of the event loop. They take some milliseconds. */
const valuesPerTurn = 4_000;

const noNames: ReadonlySet<string> = new Set();

/**
 * Collects all texts of a request or a response in any dialect, in a fixed order. The walk yields to other calls.
 * @param besides further fields that are left out
 */
export async function bodyTexts(value: unknown, besides = noNames): Promise<string[]> {
  const texts: string[] = [];
  await inTurns(collecting(value, besides, texts));
  return texts;
}

/** Collects the texts of a small value, as `bodyTexts` does, in one turn of the event loop. */
export function textsAtOnce(value: unknown, besides = noNames): string[] {
  const texts: string[] = [];
  const steps = collecting(value, besides, texts);
  while (!steps.next().done);
  return texts;
}

function collecting(value: unknown, besides: ReadonlySet<string>, texts: string[]): Steps {
  const note = (text: string): string => {
    texts.push(text);
    return text;
  };
  return new Walk(besides, note).in(value, 0);
}

/** Returns the value with its texts replaced by these, in the order of `bodyTexts`. */
export async function withTexts<Value>(value: Value, texts: readonly string[], besides = noNames): Promise<Value> {
  let at = 0;
  return (await inTurns(new Walk(besides, (text) => texts[at++] ?? text).in(value, 0))) as Value;
}

async function inTurns<Result>(steps: Generator<undefined, Result, undefined>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await nextSlice();
  }
}

type Steps = Generator<undefined, unknown, undefined>;

/**
 * Replaces every text. A value in which nothing changes stays the same object. The walk yields after `valuesPerTurn`.
 */
class Walk {
  private seen = 0;

  constructor(
    private readonly besides: ReadonlySet<string>,
    private readonly replaced: (text: string) => string,
  ) {}

  /** @param isRanked whether no field keeps its text */
  *in(value: unknown, depth: number, isRanked = false): Steps {
    if (++this.seen % valuesPerTurn === 0) yield;
    if (typeof value === 'string') return value === '' ? value : this.replaced(value);
    if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
    if (Array.isArray(value)) return yield* this.inList(value, (entry) => this.in(entry, depth + 1, isRanked));
    let copy: Record<string, unknown> | null = null;
    // A document of Anthropic may be plain text in place of base64.
    const holdsText = 'type' in value && value.type === 'text';
    for (const [name, entry] of Object.entries(value)) {
      const isKept = !isRanked && ((kept.has(name) && !(holdsText && name === 'data')) || this.besides.has(name));
      const next = yield* isKept
        ? this.below(entry, depth + 1)
        : this.in(entry, depth + 1, isRanked || (depth === 0 && ranked.has(name)));
      if (next !== entry) (copy ??= { ...value })[name] = next;
    }
    return copy ?? value;
  }

  /**
   * A kept field keeps its own text, but not the texts of objects in it: tools choose the names in their arguments and
   * results.
   */
  private *below(value: unknown, depth: number): Steps {
    if (typeof value === 'string') return value;
    return yield* Array.isArray(value)
      ? this.inList(value, (entry) => this.below(entry, depth))
      : this.in(value, depth);
  }

  private *inList(list: readonly unknown[], of: (entry: unknown) => Steps): Steps {
    let copy: unknown[] | null = null;
    for (const [at, entry] of list.entries()) {
      const next = yield* of(entry);
      if (next !== entry) (copy ??= [...list])[at] = next;
    }
    return copy ?? list;
  }
}
