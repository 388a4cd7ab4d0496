import type { ChatAnswer } from '../../contract.js';
import type { Usage } from '../../../shared/usage.js';
import type { StreamEnding } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { parseExact } from '../../../shared/exact-json.js';
import { asFields, asFieldsList, asText, parseFields, type Fields } from '../../neutral/fields.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import type { CallFailure } from '../../errors/failure.js';
import { InteractionReader } from './interaction-reader.js';
import { stepsOf } from './interaction-usage.js';

const eventOf = (fields: Fields & { readonly event_type: string }): string =>
  `event: ${fields.event_type}\ndata: ${JSON.stringify(fields)}\n\n`;
const doneEvent = 'event: done\ndata: [DONE]\n\n';

/** Names of events in the current form, and in the older one of interactions with `outputs`. */
const current = { created: 'interaction.created', part: 'step', completed: 'interaction.completed' } as const;
const older = { created: 'interaction.start', part: 'content', completed: 'interaction.complete' } as const;

/** Returns a complete interaction as the stream that the client asked for. */
export function replayedInteraction({ body, usage: reported }: ChatAnswer): (usage: Usage) => string {
  const { steps, outputs, ...named } = asFields(parseExact(body.toString('utf8'))) ?? {};
  const names = steps === undefined && outputs !== undefined ? older : current;
  const parts = stepsOf({ steps, outputs }).filter(({ type }) => type !== 'user_input');
  const { usage: _usage, ...begun } = named;
  const before = [
    eventOf({ event_type: names.created, interaction: { ...begun, status: 'in_progress' } }),
    ...parts.flatMap((part, index) => [
      eventOf({ event_type: `${names.part}.start`, index, [names === older ? 'content' : 'step']: emptied(part) }),
      ...deltasOf(part).map((delta) => eventOf({ event_type: `${names.part}.delta`, index, delta })),
      eventOf({ event_type: `${names.part}.stop`, index }),
    ]),
  ];
  return (usage) => {
    const interaction = reported ? named : { ...named, usage: fromInteractionUsage(usage) };
    return before.join('') + eventOf({ event_type: names.completed, interaction }) + doneEvent;
  };
}

/** Returns a step without the content that its deltas bring. Steps of tools begin complete. */
function emptied(step: Fields): Fields {
  const { type, content: _content, summary: _summary, signature: _signature, text: _text, ...rest } = step;
  if (type === 'thought' || type === 'model_output' || type === 'text') return { type, ...rest };
  return step;
}

/** Returns the deltas of one step: texts and media of the output, summaries and the signature of a thought. */
function deltasOf(step: Fields): Fields[] {
  const { type, signature } = step;
  if (type === 'text') return [{ type, text: step['text'] }];
  if (type === 'thought') {
    const summaries = asFieldsList(step['summary']).map((content) => ({ type: 'thought_summary', content }));
    return signature === undefined ? summaries : [...summaries, { type: 'thought_signature', signature }];
  }
  return type === 'model_output' ? asFieldsList(step['content']) : [];
}

/** The usage that was counted here, in the form of Interactions. */
export const fromInteractionUsage = (usage: Usage): Fields => {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = usage;
  return {
    total_input_tokens: promptTokens,
    total_cached_tokens: cachedTokens,
    total_output_tokens: completionTokens - reasoningTokens,
    total_thought_tokens: reasoningTokens,
    total_tokens: promptTokens + completionTokens,
  };
};

/** Ends a stream of Interactions. */
export class InteractionEnding implements StreamEnding {
  private readonly reader = new InteractionReader();
  private interaction: Fields = {};
  private names: typeof current | typeof older = current;
  /** The index of the step that has begun and is not complete. */
  private open: unknown = null;

  push(event: ServerEvent): NeutralEvent[] {
    const fields = parseFields(event.data) ?? {};
    const type = asText(fields['event_type']);
    const named = asFields(fields['interaction']);
    if (named) this.interaction = named;
    if (type === older.created) this.names = older;
    if (type === `${this.names.part}.start`) this.open = fields['index'];
    if (type === `${this.names.part}.stop`) this.open = null;
    return this.reader.push(event);
  }

  end(usage: Usage): string {
    const { part, completed } = this.names;
    const stop = this.open === null ? '' : eventOf({ event_type: `${part}.stop`, index: this.open });
    const interaction = { ...this.interaction, status: 'incomplete', usage: fromInteractionUsage(usage) };
    return stop + eventOf({ event_type: completed, interaction }) + doneEvent;
  }
}

/** Returns the error inside a stream of Interactions. */
export const interactionErrorEvents = (failure: CallFailure, requestId: string): string =>
  eventOf({
    event_type: 'error',
    error: { code: failure.code ?? failure.type, message: `${failure.message} (request id: ${requestId})` },
  });
