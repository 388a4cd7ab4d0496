import type { Transcript } from '../adapter.js';
import type { NeutralAnswer } from './answer.js';
import type { NeutralEvent } from './event.js';
import { toEvents } from './replay.js';

/** Tells a transcript what an event says. */
export function tellEvent(event: NeutralEvent, heard: Transcript): void {
  switch (event.kind) {
    case 'text':
    case 'reasoning':
    case 'refusal':
    case 'toolDelta':
      if (event.text !== '') heard.text(event.text);
      return;
    case 'toolStart':
      heard.toolCall();
      if (event.name !== '') heard.text(event.name);
      return;
    case 'image':
    case 'audio':
    case 'redacted':
      heard.otherContent();
      return;
    default:
      return;
  }
}

export function tellAnswer(answer: NeutralAnswer, heard: Transcript): void {
  for (const event of toEvents(answer)) tellEvent(event, heard);
}
