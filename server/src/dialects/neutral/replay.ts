import type { NeutralAnswer } from './answer.js';
import type { NeutralEvent } from './event.js';
import type { Part } from './message.js';

/** A complete response as a stream of events, for code that handles events only. */
export function toEvents(answer: NeutralAnswer): NeutralEvent[] {
  const { id, model, created } = answer;
  const events: NeutralEvent[] = [{ kind: 'start', id, model, ...(created === undefined ? {} : { created }) }];
  for (const { index: choice, parts, finish, stopSequence, searches = [], logprobs } of answer.choices) {
    let tools = 0;
    for (const query of searches) events.push({ kind: 'search', choice, query });
    for (const part of parts) {
      events.push(...eventsOf(part, choice, tools));
      if (part.kind === 'toolCall') tools++;
    }
    if (logprobs) events.push({ kind: 'logprobs', choice, logprobs });
    if (finish)
      events.push({ kind: 'finish', choice, reason: finish, ...(stopSequence === undefined ? {} : { stopSequence }) });
  }
  if (answer.usage) events.push({ kind: 'usage', usage: answer.usage });
  return events;
}

function eventsOf(part: Part, choice: number, toolIndex: number): NeutralEvent[] {
  switch (part.kind) {
    case 'text':
      return [
        { kind: 'text', choice, text: part.text },
        ...(part.annotations ?? []).map((annotation): NeutralEvent => ({ kind: 'annotation', choice, annotation })),
        ...signed(choice, 'text', part.signature),
      ];
    case 'reasoning':
      if (part.redacted !== undefined) return [{ kind: 'redacted', choice, data: part.redacted }];
      return [{ kind: 'reasoning', choice, text: part.text }, ...signed(choice, 'reasoning', part.signature)];
    case 'refusal':
      return [{ kind: 'refusal', choice, text: part.text }];
    case 'toolCall': {
      const { id, name, custom, namespace, signature } = part;
      return [
        {
          kind: 'toolStart',
          choice,
          index: toolIndex,
          id,
          name,
          ...(custom ? { custom } : {}),
          ...(namespace === undefined ? {} : { namespace }),
          ...(signature === undefined ? {} : { signature }),
        },
        { kind: 'toolDelta', choice, index: toolIndex, text: part.arguments },
        { kind: 'toolEnd', choice, index: toolIndex },
      ];
    }
    case 'image': {
      const { source, signature } = part;
      if (source.kind === 'url') return [{ kind: 'text', choice, text: `![image](${source.url})` }];
      if (source.kind !== 'base64') return [];
      const { mediaType, data } = source;
      return [{ kind: 'image', choice, mediaType, data, ...(signature === undefined ? {} : { signature }) }];
    }
    case 'audio': {
      const { id, data, transcript, expiresAt } = part;
      return [{ kind: 'audio', choice, id, data, transcript, expiresAt }];
    }
    default:
      return [];
  }
}

const signed = (choice: number, of: 'text' | 'reasoning', signature: string | undefined): NeutralEvent[] =>
  signature === undefined ? [] : [{ kind: 'signature', choice, of, signature }];
