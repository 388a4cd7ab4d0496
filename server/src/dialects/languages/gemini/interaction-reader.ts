import type { StreamReader } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFields, asFieldsList, asText, parseFields, type Fields } from '../../neutral/fields.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { stepsOf } from './interaction-usage.js';

/** Reads the content of a stream of Interactions, in steps or in its older form, for counting it. */
export class InteractionReader implements StreamReader {
  readonly done = false;
  private tools = 0;

  push({ data }: ServerEvent): NeutralEvent[] {
    const event = parseFields(data);
    const step = asFields(event?.['step']);
    if (step) return this.step(step);
    return this.part(asFields(event?.['delta']) ?? {});
  }

  /** Returns the content of a complete interaction. */
  read(interaction: Fields): NeutralEvent[] {
    return stepsOf(interaction).flatMap((step) => this.step(step));
  }

  private step(step: Fields): NeutralEvent[] {
    const { type } = step;
    if (type === 'user_input' || type === 'function_result') return [];
    const parts = asFieldsList(step[type === 'thought' ? 'summary' : 'content']);
    const isThought = type === 'thought';
    return [...this.part(step), ...parts.flatMap((part) => this.part(part, isThought))];
  }

  private part(part: Fields, isThought = false): NeutralEvent[] {
    const choice = 0;
    switch (part['type']) {
      case 'text':
        return [{ kind: isThought ? 'reasoning' : 'text', choice, text: asText(part['text']) }];
      case 'thought_summary':
        return [{ kind: 'reasoning', choice, text: asText(asFields(part['content'])?.['text']) }];
      case 'function_call': {
        const index = this.tools++;
        const begun = { kind: 'toolStart', choice, index, id: asText(part['id']), name: asText(part['name']) } as const;
        const given = asFields(part['arguments']);
        return given && Object.keys(given).length > 0
          ? [begun, { kind: 'toolDelta', choice, index, text: JSON.stringify(given) }]
          : [begun];
      }
      case 'arguments_delta':
        return [{ kind: 'toolDelta', choice, index: this.tools, text: asText(part['arguments']) }];
      case 'image':
        return [{ kind: 'image', choice, mediaType: asText(part['mime_type']), data: '' }];
      case 'audio':
        return [{ kind: 'audio', choice }];
      default:
        return [];
    }
  }
}
