import type { ChatAnswer, StreamTransform } from '../adapter.js';
import type { Usage } from '../../shared/usage.js';
import { asFields, parseFields, type Fields } from '../neutral/fields.js';
import { WrappedStream } from '../pass-through/wrapped-stream.js';

/**
 * Replaces the model name in every place where the dialects state it: at the top, in a message or response, and
 * Google's `modelVersion`.
 */
function renamed(answer: Fields, model: string): Fields | null {
  if (typeof answer['model'] === 'string') return { ...answer, model };
  if (typeof answer['modelVersion'] === 'string') return { ...answer, modelVersion: model };
  for (const name of ['message', 'response']) {
    const inner = asFields(answer[name]);
    if (typeof inner?.['model'] === 'string') return { ...answer, [name]: { ...inner, model } };
  }
  return null;
}

/** @returns the same bytes when they name no model */
export function withModel(body: Buffer, model: string): Buffer {
  const answer = parseFields(body.toString('utf8'));
  const changed = answer && renamed(answer, model);
  return changed ? Buffer.from(JSON.stringify(changed)) : body;
}

/** The same response under another model name. */
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
const dataLine = /^data: ?(\{.*\})(?=\r?$)/gm;

/** Complete events in, the same events out with only the model name changed. */
function eventsWithModel(bytes: Buffer | string, model: string): Buffer | string {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('utf8');
  if (!namesModel.test(text)) return bytes;
  return text.replace(dataLine, (line, data: string) => {
    const event = namesModel.test(data) ? parseFields(data) : null;
    const changed = event && renamed(event, model);
    return changed ? `data: ${JSON.stringify(changed)}` : line;
  });
}

/** A provider's own stream, with the model name that the client asked for. */
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
