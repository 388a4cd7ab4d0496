import { asFields, asList, asText, type Fields } from './fields.js';

const depthLimit = 64;
/** Formats of texts that OpenAI can enforce. */
const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']);
/** Keywords that OpenAI cannot enforce. */
const refused = [
  'oneOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'patternProperties',
  'dependentRequired',
  'dependentSchemas',
  'prefixItems',
];

/**
 * Whether OpenAI can enforce a schema: its root is an object, every object is closed and requires all its properties,
 * and every value has a type. Anthropic and Google accept other schemas too; OpenAI refuses a call with them.
 */
export const canBeStrict = (schema: Fields): boolean =>
  schema['type'] === 'object' && schema['anyOf'] === undefined && fits(schema, 0);

function fits(given: unknown, depth: number): boolean {
  const schema = asFields(given);
  if (!schema || depth > depthLimit || refused.some((name) => schema[name] !== undefined)) return false;
  const inner = [
    ...asList(schema['anyOf']),
    ...(schema['items'] === undefined ? [] : [schema['items']]),
    ...['properties', '$defs', 'definitions'].flatMap((name) => Object.values(asFields(schema[name]) ?? {})),
  ];
  if (!inner.every((each) => fits(each, depth + 1))) return false;
  if (schema['anyOf'] !== undefined || schema['$ref'] !== undefined) return true;
  const types = [schema['type']].flat();
  if (types.some((type) => typeof type !== 'string')) return false;
  if (schema['format'] !== undefined && !formats.has(asText(schema['format']))) return false;
  if (types.includes('array') && schema['items'] === undefined) return false;
  return !types.includes('object') || isClosed(schema);
}

function isClosed(schema: Fields): boolean {
  const required = asList(schema['required']);
  const names = Object.keys(asFields(schema['properties']) ?? {});
  return schema['additionalProperties'] === false && names.every((name) => required.includes(name));
}
