import type { ChatAnswer, StreamTransform } from '../../dialects/contract.js';
import type { Usage } from '../../shared/usage.js';
import { asFields, parseFields } from '../../dialects/neutral/fields.js';
import { hasLongNumbers } from '../../shared/exact-json.js';
import { splicedFields, splicedWithin } from '../../dialects/wire/pass-through/spliced-fields.js';
import { WrappedStream } from '../../dialects/wire/pass-through/wrapped-stream.js';

/**
 * Replaces the model name in every place where the dialects state it: at the top, in a message or response, and
 * Google's `modelVersion`. Numbers stay as they are written.
 * @param text of a JSON object
 * @returns null when it names no model
 */
function renamed(text: string, model: string): string | null {
  const answer = parseFields(text);
  if (!answer) return null;
  for (const name of ['model', 'modelVersion']) {
    if (typeof answer[name] !== 'string') continue;
    if (!hasLongNumbers(text)) return JSON.stringify({ ...answer, [name]: model });
    return splicedFields(Buffer.from(text), { [name]: model }).toString();
  }
  for (const name of ['message', 'response']) {
    const inner = asFields(answer[name]);
    if (typeof inner?.['model'] !== 'string') continue;
    if (!hasLongNumbers(text)) return JSON.stringify({ ...answer, [name]: { ...inner, model } });
    return splicedWithin(Buffer.from(text), name, { model }).toString();
  }
  return null;
}

/** @returns the same bytes when they name no model */
export function withModel(body: Buffer, model: string): Buffer {
  const changed = renamed(body.toString('utf8'), model);
  return changed === null ? body : Buffer.from(changed);
}

/** Returns the response under another model name. */
export function answerWithModel(answer: ChatAnswer, model: string): ChatAnswer {
  const withUsage = answer.withUsage?.bind(answer);
  return {
    get body() {
      return withModel(answer.body, model);
    },
    usage: answer.usage,
    report: (transcript) => answer.report(transcript),
    ...(withUsage ? { withUsage: (usage: Usage) => withModel(withUsage(usage), model) } : {}),
  };
}

const namesModel = /"model(?:Version)?"\s*:/;
/** Matches a whole data line. The expression avoids `.`, `^` and `$`, which treat U+2028 as the end of a line. */
const dataLine = /(?<![^\n])data: ?(\{[^\n]*\})(?=\r?(?![^\n]))/g;

/** Replaces the model name in complete events and changes nothing else. */
function eventsWithModel(bytes: Buffer | string, model: string): Buffer | string {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('utf8');
  if (!namesModel.test(text)) return bytes;
  return text.replace(dataLine, (line, data: string) => {
    const changed = namesModel.test(data) ? renamed(data, model) : null;
    return changed === null ? line : `data: ${changed}`;
  });
}

/** A provider's own stream, with the model name that the client requested. */
export class StreamWithModel extends WrappedStream {
  constructor(
    inner: StreamTransform,
    private readonly model: string,
  ) {
    super(inner);
  }

  push(bytes: Buffer): Buffer | string | null {
    return this.shown(this.inner.push(bytes));
  }

  end(): Buffer | string | null {
    return this.shown(this.inner.end());
  }

  override closing(usage: Usage): Buffer | string {
    return eventsWithModel(this.inner.closing(usage), this.model);
  }

  private shown(bytes: Buffer | string | null): Buffer | string | null {
    return bytes === null ? null : eventsWithModel(bytes, this.model);
  }
}
