import type { Json } from './fields.js';
import { oneObject, withItems } from './tool-schema.js';

describe('parameters of a tool as one object', () => {
  it('are the same where they are one already', () => {
    const schema = { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };
    expect(oneObject(schema)).toBe(schema);
  });

  it('have the properties of every choice, and require what each one requires', () => {
    const schema = {
      description: 'One of three sources',
      type: 'object',
      properties: { title: { type: 'string' } },
      required: ['title'],
      anyOf: [
        {
          type: 'object',
          properties: { kind: { const: 'text' }, text: { type: 'string' } },
          required: ['kind', 'text'],
        },
        { $ref: '#/$defs/file' },
        { type: 'null' },
      ],
      $defs: { file: { type: 'object', properties: { kind: { const: 'file' } }, required: ['kind'] } },
    };
    expect(oneObject(schema)).toEqual({
      description: 'One of three sources',
      type: 'object',
      properties: {
        title: { type: 'string' },
        kind: { anyOf: [{ const: 'text' }, { const: 'file' }] },
        text: { type: 'string' },
      },
      required: ['title', 'kind'],
      $defs: schema.$defs,
    });
  });

  it('keep nothing that says which properties come together', () => {
    const properties = { path: { type: 'string' }, url: { type: 'string' } };
    const together = { anyOf: [{ required: ['path'] }, { required: ['url'] }], not: { required: ['path', 'url'] } };
    expect(oneObject({ type: 'object', properties, ...together })).toEqual({ type: 'object', properties });
  });

  it('join what has to hold together, also behind a reference', () => {
    const whole = {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { type: 'string' } }, required: ['b'] },
      ],
    };
    const joined = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['a', 'b'],
    };
    expect(oneObject(whole)).toEqual(joined);
    expect(oneObject({ $ref: '#/definitions/Whole', definitions: { Whole: whole } })).toMatchObject(joined);
  });
});

it('lists say what they hold, at every depth', () => {
  const list = { type: 'array' };
  expect(
    withItems({
      type: 'object',
      properties: {
        a: list,
        b: { type: ['array', 'null'] },
        c: { type: 'array', items: list },
        items: { type: 'string' },
      },
      anyOf: [list],
      $defs: { d: list },
    }),
  ).toEqual({
    type: 'object',
    properties: {
      a: { type: 'array', items: {} },
      b: { type: ['array', 'null'], items: {} },
      c: { type: 'array', items: { type: 'array', items: {} } },
      items: { type: 'string' },
    },
    anyOf: [{ type: 'array', items: {} }],
    $defs: { d: { type: 'array', items: {} } },
  });
});

it('a prototype stays a field of a schema', () => {
  const text =
    '{"type":"object","__proto__":{"items":{}},"properties":{"__proto__":{"type":"array","items":{}}},"$defs":{}}';
  const schema = withItems(JSON.parse(text) as Json);
  expect(JSON.stringify(schema)).toBe(text);
  expect(schema['items']).toBeUndefined();
});
