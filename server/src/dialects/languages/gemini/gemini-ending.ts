import type { Usage } from '../../../shared/usage.js';
import type { StreamEnding } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFields, parseJson } from '../../neutral/fields.js';
import { fromFinishReason } from '../../neutral/finish-reason.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { GeminiStreamReader } from './gemini-stream-reader.js';
import { fromGeminiUsage } from './gemini-usage.js';

/** Ends a stream of `GenerateContentResponse`, with the names of its last event. */
export class GeminiEnding implements StreamEnding {
  private readonly reader = new GeminiStreamReader();
  private last = '';

  push(event: ServerEvent): NeutralEvent[] {
    const events = this.reader.push(event);
    if (events.length > 0) this.last = event.data;
    return events;
  }

  end(usage: Usage): string {
    const value = parseJson(this.last);
    const last = asFields(Array.isArray(value) ? (value[0] as unknown) : value) ?? {};
    const candidates = this.reader.openChoices.map((index) => ({
      content: { parts: [{ text: '' }], role: 'model' },
      finishReason: fromFinishReason('length', 'gemini-generate'),
      index,
    }));
    const { modelVersion, responseId } = last;
    const chunk = { candidates, usageMetadata: fromGeminiUsage(usage), modelVersion, responseId };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  }
}
