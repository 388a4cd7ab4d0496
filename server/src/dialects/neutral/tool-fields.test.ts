import { inverted, renameFields, withFieldNames } from './tool-fields.js';

const taken = /^[\w.-]{1,64}$/;
const any = { type: 'string' };

describe('fields of a tool that a provider refuses', () => {
  it('have names that it takes, and are required as before', () => {
    const long = 'settings__'.repeat(8);
    const properties = { $top: any, 'filter[name]': any, ok: any, '@a': any, _a: any, [long]: any };
    const renamed = renameFields({ type: 'object', properties, required: ['$top', 'ok'] }, taken);
    const sent = Object.keys(renamed?.parameters['properties'] ?? {});
    expect(sent.slice(0, 3)).toEqual(['_top', 'filter_name_', 'ok']);
    expect(sent[3]).toMatch(/^_a_[\da-f]{12}$/);
    expect(sent[4]).toBe('_a');
    expect(sent[5]).toMatch(/^settings__[\w]+_[\da-f]{12}$/);
    expect(sent.every((name) => taken.test(name))).toBe(true);
    expect(new Set(sent).size).toBe(6);
    expect(renamed?.parameters['required']).toEqual(['_top', 'ok']);
    expect(sent.map((name) => renamed?.names.get(name) ?? name)).toEqual(Object.keys(properties));
  });

  it('are found in each choice at the root', () => {
    const anyOf = [
      { type: 'object', properties: { $a: any } },
      { type: 'object', properties: { b: any } },
    ];
    expect(renameFields({ anyOf }, taken)?.parameters['properties']).toEqual({ _a: any, b: any });
  });

  it.each([
    ['none', undefined],
    ['no properties', { type: 'object' }],
    ['names that are taken', { type: 'object', properties: { a: { type: 'object', properties: { $in: any } } } }],
  ])('are left as they are: %s', (_what, parameters) => {
    expect(renameFields(parameters, taken)).toBeNull();
  });
});

describe('arguments', () => {
  const names = new Map([
    ['_a', '$a'],
    ['x', '"y"'],
  ]);

  it('get other names of fields, and nothing else changes', () => {
    const given =
      '{ "_a" : 12345678901234567890, "x":["_a", {"_a":1}], "b":"{\\"_a\\":1}", "c":{"x":"_a"},"\\u005fa":"_a"}';
    expect(withFieldNames(given, names)).toBe(
      '{ "$a" : 12345678901234567890, "\\"y\\"":["_a", {"_a":1}], "b":"{\\"_a\\":1}", "c":{"x":"_a"},"$a":"_a"}',
    );
    expect(withFieldNames('{"$a":1}', inverted(names))).toBe('{"_a":1}');
  });

  it.each(['', '{"_a":"cut', '["_a"]', 'text'])('that are no object stay: %j', (given) => {
    expect(withFieldNames(given, names)).toBe(given);
  });
});
