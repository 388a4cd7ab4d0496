import { asFields, asList, asText, type Fields, type Json } from '../../neutral/fields.js';
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

/** Keywords that Anthropic refuses in the schema of a response. */
const refusedLimits = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
]);
const knownFormats = new Set<unknown>([
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
]);

function isRefused(name: string, value: unknown): boolean {
  if (name === 'format') return !knownFormats.has(value);
  return refusedLimits.has(name) || (name === 'minItems' && value !== 0 && value !== 1);
}

/**
 * Returns a schema that Anthropic accepts for a response: every object is closed, as in OpenAI's strict mode, and
 * limits that it refuses move to the descriptions, where the model still reads them.
 */
export function heldSchema(schema: Fields, depth = 0): Json {
  if (depth > 64) return { ...schema };
  const entries = Object.entries(schema);
  const kept = entries.filter(([name, value]) => !isRefused(name, value));
  const closed: Json = Object.fromEntries(
    kept.map(([name, value]) => [name === 'oneOf' && schema['anyOf'] === undefined ? 'anyOf' : name, value]),
  );
  const limits = entries
    .filter(([name, value]) => isRefused(name, value))
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  if (limits.length > 0) {
    const text = limits.join(', ');
    const description = asText(schema['description']);
    closed['description'] = description === '' ? text : `${description} (${text})`;
  }
  const inner = (value: unknown): unknown => {
    const fields = asFields(value);
    return fields ? heldSchema(fields, depth + 1) : value;
  };
  const isOpen = schema['additionalProperties'] === undefined || schema['additionalProperties'] === true;
  if (schema['type'] === 'object' && isOpen) closed['additionalProperties'] = false;
  for (const name of ['properties', '$defs', 'definitions']) {
    const named = asFields(closed[name]);
    if (named) closed[name] = Object.fromEntries(Object.entries(named).map(([key, value]) => [key, inner(value)]));
  }
  if (closed['items'] !== undefined) closed['items'] = inner(closed['items']);
  for (const name of ['anyOf', 'oneOf', 'allOf']) {
    if (closed[name] !== undefined) closed[name] = asList(closed[name]).map(inner);
  }
  return closed;
}
