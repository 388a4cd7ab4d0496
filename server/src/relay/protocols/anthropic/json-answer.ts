import { asFields, asList, type Fields, type Json } from '../../neutral/fields.js';
import type { ResponseFormat } from '../../neutral/request.js';

/**
 * The tool that a model without response schemas has to call; its input becomes the response. No client's tool has this
 * name.
 */
export const answerTool = 'tollgate_json_answer';

/** The definition of the internal response tool. */
export function jsonTool(format: Exclude<ResponseFormat, { kind: 'text' }>): Json {
  const description = 'Provide the complete response as the input of this tool.';
  if (format.kind === 'json')
    return { name: answerTool, description, input_schema: { type: 'object', additionalProperties: true } };
  return {
    name: answerTool,
    description: format.description ?? description,
    input_schema: { type: 'object', ...format.schema },
  };
}

/** Anthropic requires `additionalProperties: false` on every object of a response schema, like OpenAI's strict mode. */
export function outputSchema(schema: Fields, depth = 0): Json {
  const closed: Json = { ...schema };
  if (depth > 64) return closed;
  const inner = (value: unknown): unknown => (asFields(value) ? outputSchema(asFields(value) ?? {}, depth + 1) : value);
  if (schema['type'] === 'object' && schema['additionalProperties'] === undefined)
    closed['additionalProperties'] = false;
  for (const name of ['properties', '$defs', 'definitions']) {
    const named = asFields(schema[name]);
    if (named) closed[name] = Object.fromEntries(Object.entries(named).map(([key, value]) => [key, inner(value)]));
  }
  if (schema['items'] !== undefined) closed['items'] = inner(schema['items']);
  for (const name of ['anyOf', 'oneOf', 'allOf']) {
    if (schema[name] !== undefined) closed[name] = asList(schema[name]).map(inner);
  }
  return closed;
}
