import type { Transcript } from '../contract.js';
import type { NeutralAnswer } from './answer.js';
import type { NeutralEvent } from './event.js';
import { toEvents } from './replay.js';

/** Reports the content of an event to a transcript. */
export function reportEvent(event: NeutralEvent, transcript: Transcript): void {
  switch (event.kind) {
    case 'text':
    case 'reasoning':
    case 'refusal':
    case 'toolDelta':
      if (event.text !== '') transcript.text(event.text);
      return;
    case 'toolStart':
      transcript.toolCall();
      if (event.name !== '') transcript.text(event.name);
      return;
    case 'image':
    case 'audio':
    case 'redacted':
      transcript.otherContent();
      return;
    default:
      return;
  }
}

/** Reports the content of a complete response to a transcript. */
export function reportAnswer(answer: NeutralAnswer, transcript: Transcript): void {
  for (const event of toEvents(answer)) reportEvent(event, transcript);
}
