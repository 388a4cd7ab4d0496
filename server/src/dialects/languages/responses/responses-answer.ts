import type { NeutralAnswer } from '../../neutral/answer.js';
import type { AnswerContext } from '../../neutral/codec.js';
import { areWhole } from '../../neutral/arguments.js';
import { asFields, asList, type Fields, type Json } from '../../neutral/fields.js';
import type { Part } from '../../neutral/message.js';
import { declaresResponsesSearch } from '../../neutral/web-search.js';
import { encryptedContent } from './thinking-signature.js';
import { ItemIds, responseId, responseObject, statusOf } from './response-object.js';
import { fromResponsesUsage } from './responses-usage.js';

/** A complete response as a Responses object. */
export function toResponse(answer: NeutralAnswer, context: AnswerContext): Json {
  const [choice] = answer.choices;
  const parts = choice?.parts ?? [];
  const searches = declaresResponsesSearch(context.body) ? (choice?.searches ?? []) : [];
  const ids = new ItemIds(context.id);
  const head = {
    id: responseId(answer.id, context),
    created: answer.created ?? context.created,
    model: answer.model || context.model,
  };
  const response = responseObject(head, context, {
    ...statusOf(choice?.finish ?? 'stop'),
    output: itemsOf({ parts, searches }, asList(choice?.logprobs?.['content']), ids),
    usage: answer.usage ? fromResponsesUsage(answer.usage) : null,
  });
  context.store?.keep(head.id, response);
  return response;
}

/**
 * Log probabilities are those of the whole response, and are attached to its first text. That text is based on the
 * searches, so that they stand before it.
 */
function itemsOf(
  { parts, searches }: { readonly parts: readonly Part[]; readonly searches: readonly string[] },
  logprobs: readonly unknown[],
  ids: ItemIds,
): Json[] {
  const first = parts.find((part) => part.kind === 'text' && part.text !== '');
  const found = (): Json[] => searches.map((query) => searchItem(ids.next('ws'), query));
  const items = parts.flatMap((part) =>
    part === first ? [...found(), ...toItems(part, logprobs, ids)] : toItems(part, [], ids),
  );
  return first ? items : [...items, ...found()];
}

function toItems(part: Part, logprobs: readonly unknown[], ids: ItemIds): Json[] {
  switch (part.kind) {
    case 'text': {
      const message =
        part.text === ''
          ? []
          : [messageItem(ids.next('msg'), textContent(part.text, part.annotations ?? [], logprobs))];
      return part.signature === undefined ? message : [...message, reasoningItem(ids.next('rs'), '', part.signature)];
    }
    case 'refusal':
      return [messageItem(ids.next('msg'), { type: 'refusal', refusal: part.text })];
    case 'reasoning':
      return [reasoningItem(ids.next('rs'), part.text, encryptedContent(part))];
    case 'toolCall':
      return [
        ...(part.signature === undefined ? [] : [reasoningItem(ids.next('rs'), '', part.signature)]),
        callItem(
          ids.next(part.custom ? 'ctc' : 'fc'),
          part,
          part.custom ? part.arguments : part.arguments || noArguments,
        ),
      ];
    case 'image':
      if (part.source.kind === 'base64') return [imageItem(ids.next('ig'), part.source)];
      return part.source.kind === 'url'
        ? [messageItem(ids.next('msg'), textContent(`![image](${part.source.url})`, []))]
        : [];
    case 'audio':
      // Responses cannot contain audio, so the transcript is returned as text.
      return part.transcript ? [messageItem(ids.next('msg'), textContent(part.transcript, []))] : [];
    default:
      return [];
  }
}

export const messageItem = (id: string, content: Json): Json => ({
  type: 'message',
  id,
  status: 'completed',
  role: 'assistant',
  content: [content],
});

export const textContent = (text: string, annotations: readonly Fields[], logprobs: readonly unknown[] = []): Json => ({
  type: 'output_text',
  text,
  annotations: annotations.map(fromChatAnnotation),
  logprobs,
});

export const fromChatAnnotation = (annotation: Fields): Json => ({
  type: annotation['type'],
  ...asFields(annotation['url_citation']),
});

export const reasoningItem = (id: string, text: string, encrypted: string | undefined): Json => ({
  type: 'reasoning',
  id,
  summary: text === '' ? [] : [{ type: 'summary_text', text }],
  ...(encrypted === undefined ? {} : { encrypted_content: encrypted }),
});

/** Some providers leave out the arguments of a call that has none. */
export const noArguments = '{}';

export const callItem = (
  id: string,
  call: { id: string; name: string; custom?: boolean; namespace?: string },
  text: string,
  // The output limit may have cut the arguments off.
  status = call.custom || areWhole(text) ? 'completed' : 'incomplete',
): Json => {
  const called = { id, call_id: call.id, name: call.name, ...(call.namespace ? { namespace: call.namespace } : {}) };
  return call.custom
    ? { type: 'custom_tool_call', ...called, input: text, status }
    : { type: 'function_call', ...called, arguments: text, status };
};

/** A search that another provider ran. */
export const searchItem = (id: string, query: string): Json => ({
  type: 'web_search_call',
  id,
  status: 'completed',
  action: { type: 'search', query, queries: [query] },
});

export const imageItem = (
  id: string,
  { mediaType, data }: { readonly mediaType: string; readonly data: string },
): Json => ({
  type: 'image_generation_call',
  id,
  status: 'completed',
  output_format: mediaType.replace(/^image\//, ''),
  result: data,
});
