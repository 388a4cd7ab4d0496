import { toJsonSchema } from './schema-read.js';
import { toGeminiSchema } from './schema-write.js';

const write = (schema: object, forTool = true): unknown =>
  toGeminiSchema(schema as Record<string, unknown>, 'tools[0].parameters', forTool);

describe('JSON schema for Google', () => {
  it.each(['constructor', '__proto__'])('has no format of the unknown type %s', (type) => {
    expect(write({ type: 'object', properties: { a: { type, format: 'x' } } })).toEqual({
      type: 'object',
      properties: { a: { type } },
    });
  });

  it('loses what Google does not know, at every depth', () => {
    expect(
      write({
        $schema: 'x',
        $id: 'y',
        type: 'object',
        additionalProperties: false,
        properties: {
          list: {
            type: 'array',
            items: {
              type: 'object',
              properties: { url: { type: 'string', format: 'uri', default: 'z' } },
              additionalProperties: true,
            },
          },
          when: { type: 'string', format: 'date-time' },
          number: { type: 'number', exclusiveMinimum: 0, minimum: 1, multipleOf: 2 },
        },
        required: ['list'],
        patternProperties: { a: {} },
      }),
    ).toEqual({
      type: 'object',
      properties: {
        list: { type: 'array', items: { type: 'object', properties: { url: { type: 'string' } } } },
        when: { type: 'string', format: 'date-time' },
        number: { type: 'number', minimum: 1 },
      },
      required: ['list'],
    });
  });

  it('keeps defaults of answers, not of tools', () => {
    expect(write({ type: 'string', default: 'a' }, false)).toEqual({ type: 'string', default: 'a' });
    expect(write({ type: 'string', default: 'a' })).toEqual({ type: 'string' });
  });

  it.each([
    ['a list of types', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    [
      'several types',
      { type: ['string', 'integer'], description: 'd' },
      {
        anyOf: [
          { type: 'string', description: 'd' },
          { type: 'integer', description: 'd' },
        ],
      },
    ],
    ['a constant', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['a choice of numbers', { type: 'integer', enum: [1, 2] }, { type: 'string', format: 'enum', enum: ['1', '2'] }],
    ['a choice with null', { enum: ['a', null] }, { type: 'string', enum: ['a'], nullable: true }],
    [
      'oneOf',
      { oneOf: [{ type: 'string' }, { type: 'integer' }] },
      { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    ],
    [
      'one thing or null',
      { description: 'd', anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { type: 'null' }] },
      { description: 'd', type: 'object', properties: { a: { type: 'string' } }, nullable: true },
    ],
    [
      'allOf',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { properties: { b: { type: 'string' } }, required: ['b'] },
        ],
      },
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a', 'b'] },
    ],
    ['a tuple', { type: 'array', items: [{ type: 'string' }] }, { type: 'array', items: { type: 'string' } }],
    ['a list of anything', { type: 'array' }, { type: 'array', items: {} }],
    [
      'a tuple of newer drafts',
      { type: 'array', prefixItems: [{ type: 'string' }], items: false },
      { type: 'array', items: {} },
    ],
    ['an object without properties', { type: 'object', properties: {}, required: ['a'] }, { type: 'object' }],
    [
      'what nothing describes as not required',
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a', 'b'] },
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    ],
    ['a choice of nothing', { type: 'string', enum: ['a', ''] }, { type: 'string', enum: ['a'] }],
    ['an empty constant', { type: 'string', const: '' }, { type: 'string' }],
    ['its own formats of numbers', { type: 'integer', format: 'int64' }, { type: 'integer', format: 'int64' }],
    ['other formats of numbers', { type: 'integer', format: 'uint32', minimum: 0 }, { type: 'integer', minimum: 0 }],
    ['capitals', { type: 'STRING' }, { type: 'string' }],
    ['anything', {}, {}],
  ])('says %s in its own words', (_what, schema, expected) => {
    expect(write(schema)).toEqual(expected);
  });

  it('has nothing beside a choice, which Vertex refuses', () => {
    const options = [{ type: 'string' }, { type: 'array', items: { type: 'string' } }, { type: 'null' }];
    expect(
      write({ type: 'object', properties: { a: { title: 'A', description: 'd', anyOf: options }, b: {} } }),
    ).toEqual({
      type: 'object',
      properties: {
        a: {
          anyOf: [
            { title: 'A', description: 'd', type: 'string', nullable: true },
            { title: 'A', description: 'd', type: 'array', items: { type: 'string' }, nullable: true },
          ],
        },
        b: {},
      },
    });
    const alternatives = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    };
    expect(write(alternatives)).toEqual({
      anyOf: [
        { type: 'object', properties: alternatives.properties, required: ['a'] },
        { type: 'object', properties: alternatives.properties, required: ['b'] },
      ],
    });
  });

  it('has references written out', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/point', description: 'here' }, b: { $ref: '#/$defs/point' } },
      $defs: { point: { type: 'object', properties: { x: { type: 'number' } } } },
    };
    expect(write(schema)).toEqual({
      type: 'object',
      properties: {
        a: { type: 'object', properties: { x: { type: 'number' } }, description: 'here' },
        b: { type: 'object', properties: { x: { type: 'number' } } },
      },
    });
  });

  it('takes any object where it refers to itself', () => {
    const tree = {
      $ref: '#/$defs/tree',
      $defs: { tree: { type: 'object', properties: { left: { $ref: '#/$defs/tree' } } } },
    };
    expect(write(tree)).toEqual({ type: 'object', properties: { left: { type: 'object' } } });
  });

  it('is refused when it refers to nothing', () => {
    expect(() => write({ $ref: '#/$defs/nothing' })).toThrow('which does not exist');
  });

  it('may not be nested without end', () => {
    let deep: object = { type: 'string' };
    for (let level = 0; level < 100; level++) deep = { type: 'array', items: deep };
    expect(() => write(deep)).toThrow('nested too deep');
  });
});

describe('Google’s schemas for everybody else', () => {
  it('are JSON schema', () => {
    expect(
      toJsonSchema({
        type: 'OBJECT',
        properties: {
          a: { type: 'STRING', nullable: true, format: 'enum', enum: ['x'] },
          b: { type: 'ARRAY', items: { type: 'INTEGER' }, maxItems: '3' },
          c: { anyOf: [{ type: 'STRING' }], nullable: true },
        },
        required: ['a'],
        propertyOrdering: ['b', 'a'],
      }),
    ).toEqual({
      type: 'object',
      properties: {
        a: { type: ['string', 'null'], enum: ['x', null] },
        b: { type: 'array', items: { type: 'integer' }, maxItems: 3 },
        c: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      required: ['a'],
    });
  });
});
