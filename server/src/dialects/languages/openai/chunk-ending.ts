import type { Usage } from '../../../shared/usage.js';
import type { StreamEnding, StreamReader } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFieldsList, asText, parseFields, someNumber, someText, type Json } from '../../neutral/fields.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { ChatStreamReader } from './chat-stream-reader.js';
import { dataEvent, doneEvent } from './chunks.js';
import { fromUsage, tierOf } from './usage.js';

interface ChoiceReader extends Pick<StreamReader, 'push'> {
  /** Choices that have begun and are not finished. */
  readonly openChoices: readonly number[];
}

/** Ends a stream of chunks. Each choice is ended by a chunk with the names of the last chunk. */
class ChunkEnding implements StreamEnding {
  private last = '';

  /** @param empty the fields of a choice without content */
  constructor(
    private readonly reader: ChoiceReader,
    private readonly empty: Json,
    private readonly includeUsage: boolean,
  ) {}

  push(event: ServerEvent): NeutralEvent[] {
    const events = this.reader.push(event);
    // Azure's chunks with filter results have no names.
    if (events.some((each) => 'choice' in each)) this.last = event.data;
    return events;
  }

  end(usage: Usage): string {
    const { usage: _usage, obfuscation: _obfuscation, ...named } = parseFields(this.last) ?? {};
    const ended = this.reader.openChoices.map((index) =>
      dataEvent({
        ...named,
        choices: [{ index, ...this.empty, logprobs: null, finish_reason: 'length' }],
        ...(this.includeUsage ? { usage: null } : {}),
      }),
    );
    const charged = { ...named, choices: [], ...tierOf(usage), usage: fromUsage(usage) };
    return ended.join('') + (this.includeUsage ? dataEvent(charged) : '') + doneEvent;
  }
}

export const chatEnding = (includeUsage: boolean): StreamEnding =>
  new ChunkEnding(new ChatStreamReader(), { delta: {} }, includeUsage);

/** Returns the ending of a stream of completions of a prompt. */
export const completionsEnding = (includeUsage: boolean): StreamEnding =>
  new ChunkEnding(new CompletionsReader(), { text: '' }, includeUsage);

class CompletionsReader implements ChoiceReader {
  /** Whether each choice is finished. */
  private readonly choices = new Map([[0, false]]);

  push({ data }: ServerEvent): NeutralEvent[] {
    return asFieldsList(parseFields(data)?.['choices']).map((fields, position) => {
      const choice = someNumber(fields['index']) ?? position;
      this.choices.set(choice, this.choices.get(choice) === true || someText(fields['finish_reason']) !== undefined);
      return { kind: 'text', choice, text: asText(fields['text']) };
    });
  }

  get openChoices(): number[] {
    return [...this.choices].flatMap(([choice, isFinished]) => (isFinished ? [] : [choice]));
  }
}
