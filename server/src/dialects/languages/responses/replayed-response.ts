import { writeJson } from '../../../shared/exact-json.js';
import { asFieldsList, asList, asText, type Fields, type Json } from '../../neutral/fields.js';

/**
 * A complete response as the stream that its client asked for. Items of every type keep their place and all their
 * fields, as the calls of a search.
 */
export function replayedResponse(response: Fields): string {
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const events: Json[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...asFieldsList(response['output']).flatMap(replayedItem),
    { type: `response.${asText(response['status']) || 'completed'}`, response },
  ];
  return events
    .map(
      (event, index) => `event: ${asText(event['type'])}\ndata: ${writeJson({ ...event, sequence_number: index })}\n\n`,
    )
    .join('');
}

function replayedItem(item: Fields, index: number): Json[] {
  const at = { item_id: item['id'], output_index: index };
  const { begun, deltas } = splitItem(item, at);
  return [
    { type: 'response.output_item.added', output_index: index, item: begun },
    ...deltas,
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

/** Returns an item as it begins, and the events that fill it. Items without a text begin complete. */
function splitItem(item: Fields, at: Json): { readonly begun: Json; readonly deltas: readonly Json[] } {
  const content = asFieldsList(item['content']).flatMap((part, index) =>
    replayedPart(part, { ...at, content_index: index }),
  );
  switch (item['type']) {
    case 'message':
      return { begun: { ...item, status: 'in_progress', content: [] }, deltas: content };
    case 'reasoning': {
      const summary = asFieldsList(item['summary']).flatMap((part, index) =>
        replayedSummary(part, { ...at, summary_index: index }),
      );
      const begun = { ...item, summary: [], ...(item['content'] === undefined ? {} : { content: [] }) };
      return { begun, deltas: [...summary, ...content] };
    }
    case 'function_call':
      return filled(item, at, 'arguments', 'response.function_call_arguments');
    case 'custom_tool_call':
      return filled(item, at, 'input', 'response.custom_tool_call_input');
    default:
      return { begun: item, deltas: [] };
  }
}

function filled(item: Fields, at: Json, field: string, event: string): ReturnType<typeof splitItem> {
  const text = asText(item[field]);
  return {
    begun: { ...item, [field]: '', status: 'in_progress' },
    deltas: [
      { type: `${event}.delta`, ...at, delta: text },
      { type: `${event}.done`, ...at, name: item['name'], [field]: text },
    ],
  };
}

/** The field of a part of the content that streams in pieces. The events have the name of the type. */
const textFields: ReadonlyMap<string, string> = new Map([
  ['output_text', 'text'],
  ['refusal', 'refusal'],
  ['reasoning_text', 'text'],
]);

function replayedPart(part: Fields, at: Json): Json[] {
  const type = asText(part['type']);
  const field = textFields.get(type);
  if (field === undefined) return whole(part, part, at, []);
  const text = asText(part[field]);
  const { annotations, logprobs } = part;
  const begun = {
    ...part,
    [field]: '',
    ...(annotations ? { annotations: [] } : {}),
    ...(logprobs ? { logprobs: [] } : {}),
  };
  const probable = type === 'output_text' ? { logprobs: asList(logprobs) } : {};
  return whole(begun, part, at, [
    { type: `response.${type}.delta`, ...at, delta: text, ...probable },
    ...asList(annotations).map((annotation, index) => ({
      type: 'response.output_text.annotation.added',
      ...at,
      annotation_index: index,
      annotation,
    })),
    { type: `response.${type}.done`, ...at, [field]: text, ...probable },
  ]);
}

const whole = (begun: Fields, part: Fields, at: Json, deltas: readonly Json[]): Json[] => [
  { type: 'response.content_part.added', ...at, part: begun },
  ...deltas,
  { type: 'response.content_part.done', ...at, part },
];

function replayedSummary(part: Fields, at: Json): Json[] {
  const text = asText(part['text']);
  return [
    { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
    { type: 'response.reasoning_summary_text.delta', ...at, delta: text },
    { type: 'response.reasoning_summary_text.done', ...at, text },
    { type: 'response.reasoning_summary_part.done', ...at, part },
  ];
}
