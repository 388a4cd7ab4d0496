import { canBeStrict } from './strict-schema.js';

const text = { type: 'string' };
const closed = (properties: object, more: object = {}): Record<string, unknown> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

describe('a schema that OpenAI can hold a model to', () => {
  it.each([
    ['a closed object', closed({ a: text, b: { type: ['string', 'null'] } })],
    ['no properties', { type: 'object', properties: {}, additionalProperties: false }],
    ['closed objects in lists and choices', closed({ a: { type: 'array', items: closed({ b: text }) } })],
    ['a choice', closed({ a: { anyOf: [closed({ b: text }), { type: 'null' }] } })],
    ['itself', closed({ next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } })],
    ['a definition', closed({ a: { $ref: '#/$defs/a' } }, { $defs: { a: closed({ b: text }) } })],
    ['a known format', closed({ a: { type: 'string', format: 'date-time' } })],
    ['values that are listed', closed({ a: { type: 'string', enum: ['x'] } })],
  ])('has %s', (_what, schema) => {
    expect(canBeStrict(schema)).toBe(true);
  });

  it.each([
    ['an optional property', closed({ a: text }, { required: [] })],
    ['no list of what is required', closed({ a: text }, { required: undefined })],
    ['an open object', closed({ a: text }, { additionalProperties: undefined })],
    ['an open object inside', closed({ a: { type: 'object', properties: {} } })],
    ['an open object in a list', closed({ a: { type: 'array', items: { type: 'object' } } })],
    ['an open object in a choice', closed({ a: { anyOf: [{ type: 'object' }, { type: 'null' }] } })],
    ['an open definition', closed({}, { $defs: { a: { type: 'object' } } })],
    ['a value of any type', closed({ a: {} })],
    ['a list of anything', closed({ a: { type: 'array' } })],
    ['an unknown format', closed({ a: { type: 'string', format: 'uri' } })],
    ['a list at the root', { type: 'array', items: text }],
    ['a choice at the root', { anyOf: [closed({})] }],
    ['another choice', closed({ a: { oneOf: [text] } })],
    ['a schema that is no object', closed({ a: true })],
  ])('does not have %s', (_what, schema) => {
    expect(canBeStrict(schema)).toBe(false);
  });

  it('is not nested without end', () => {
    let schema = closed({});
    for (let depth = 0; depth < 100; depth++) schema = closed({ a: schema });
    expect(canBeStrict(schema)).toBe(false);
  });
});
