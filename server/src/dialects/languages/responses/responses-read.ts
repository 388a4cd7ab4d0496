import { AppError } from '../../../shared/errors.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import type { NeutralAnswer } from '../../neutral/answer.js';
import { asFields, asFieldsList, asList, asText, someNumber, someText, type Fields } from '../../neutral/fields.js';
import { toFinishReason, type FinishReason } from '../../neutral/finish-reason.js';
import type { Part } from '../../neutral/message.js';
import { readError } from '../../errors/read-upstream-error.js';
import { signatureOfItem } from './thinking-signature.js';
import { toResponsesUsage } from './responses-usage.js';

/**
 * A complete response in the neutral form.
 * @throws UpstreamError when it failed; AppError UPSTREAM_INVALID_RESPONSE when it is not a response
 */
export function readResponse(body: unknown): NeutralAnswer {
  const response = asFields(body);
  const error = response ? failureOf(response) : null;
  if (error) throw error;
  if (!response || !Array.isArray(response['output'])) {
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not a Responses object');
  }
  const items = asFieldsList(response['output']);
  const parts = items.flatMap(readItem);
  const searches = items.flatMap(queriesOf);
  const created = someNumber(response['created_at']);
  return {
    id: asText(response['id']),
    model: asText(response['model']),
    ...(created === undefined ? {} : { created }),
    choices: [
      {
        index: 0,
        parts,
        finish: finishOf(
          response,
          parts.some((part) => part.kind === 'toolCall'),
        ),
        ...(searches.length > 0 ? { searches } : {}),
      },
    ],
    usage: toResponsesUsage(response),
  };
}

/** @returns null when the response reports no failure */
export function failureOf(response: Fields): UpstreamError | null {
  const error = asFields(response['error']);
  if (!error && response['status'] !== 'failed') return null;
  const found = readError({ error }) ?? { message: 'The response failed', type: 'server_error' };
  return new UpstreamError(502, found);
}

/** The finish reason, from the status and details of a response. */
export function finishOf(response: Fields, called: boolean): FinishReason | null {
  const status = someText(response['status']);
  if (status === 'incomplete') {
    const finish = toFinishReason(asText(asFields(response['incomplete_details'])?.['reason']));
    // An incomplete response with an unknown reason counts as truncated.
    return finish === 'stop' ? 'length' : finish;
  }
  if (status !== 'completed') return null;
  return called ? 'toolCalls' : 'stop';
}

/** Items of tools that OpenAI runs itself are only for clients of its own dialect, except images. */
function readItem(item: Fields): Part[] {
  switch (item['type']) {
    case 'message':
      return asFieldsList(item['content']).flatMap(readContent);
    case 'reasoning':
      return readReasoning(item);
    case 'function_call':
    case 'custom_tool_call': {
      const custom = item['type'] === 'custom_tool_call';
      const namespace = someText(item['namespace']);
      return [
        {
          kind: 'toolCall',
          id: asText(item['call_id']),
          name: asText(item['name']),
          arguments: asText(custom ? item['input'] : item['arguments']),
          ...(custom ? { custom } : {}),
          ...(namespace === undefined ? {} : { namespace }),
        },
      ];
    }
    case 'image_generation_call': {
      const data = someText(item['result']);
      return data === undefined
        ? []
        : [{ kind: 'image', source: { kind: 'base64', mediaType: imageTypeOf(item), data } }];
    }
    default:
      return [];
  }
}

/** The queries with which OpenAI searched the web. To open a page is no search. */
export function queriesOf(item: Fields): string[] {
  if (item['type'] !== 'web_search_call') return [];
  const action = asFields(item['action']);
  const several = asList(action?.['queries']).flatMap((query) => someText(query) ?? []);
  return several.length > 0 ? several : [someText(action?.['query']) ?? []].flat();
}

/** The media type of a generated image. */
export const imageTypeOf = (item: Fields): string => `image/${someText(item['output_format']) ?? 'png'}`;

function readContent(content: Fields): Part[] {
  if (content['type'] === 'refusal') return [{ kind: 'refusal', text: asText(content['refusal']) }];
  const text = someText(content['text']);
  if (text === undefined) return [];
  const annotations = asFieldsList(content['annotations'])
    .map(toChatAnnotation)
    .filter((each) => each !== null);
  return [{ kind: 'text', text, ...(annotations.length > 0 ? { annotations } : {}) }];
}

/** Separates the parts of a reasoning summary. */
export const summaryBreak = '\n\n';

/** The encrypted reasoning of an item, with the item's id. */
export const signatureIn = (item: Fields): string | undefined => {
  const encrypted = someText(item['encrypted_content']);
  return encrypted === undefined ? undefined : signatureOfItem(asText(item['id']), encrypted);
};

function readReasoning(item: Fields): Part[] {
  const texts = [...asFieldsList(item['summary']), ...asFieldsList(item['content'])].map((part) =>
    asText(part['text']),
  );
  const text = texts.filter(Boolean).join(summaryBreak);
  const signature = signatureIn(item);
  if (text === '' && signature === undefined) return [];
  return [{ kind: 'reasoning', text, ...(signature === undefined ? {} : { signature }) }];
}

/** @returns null for anything but a web page */
export function toChatAnnotation(annotation: Fields): Fields | null {
  if (annotation['type'] !== 'url_citation') return null;
  const { type, ...page } = annotation;
  return { type, url_citation: page };
}
