import fc from 'fast-check';
import { fieldText, splicedFields } from './spliced-fields.js';

const id = '1318304912345678901';

it('changes fields and leaves the other values as they are written', () => {
  const text = `{ "model" : "alias", "n": 1.0 ,\n "input": {"id": ${id}, "model": "x"} }`;
  expect(splicedFields(text, { model: 'gpt-4o' })).toBe(
    `{"model":"gpt-4o","n":1.0,"input":{"id": ${id}, "model": "x"}}`,
  );
  expect(splicedFields(text, { n: undefined, stream: true })).toBe(
    `{"model":"alias","input":{"id": ${id}, "model": "x"},"stream":true}`,
  );
  expect(splicedFields(text, { model: undefined, n: undefined, input: undefined })).toBe('{}');
  expect(fieldText(text, 'input')).toBe(`{"id": ${id}, "model": "x"}`);
  expect(fieldText(text, 'id')).toBeUndefined();
});

it('means the same as parsing, changing and writing', () => {
  const name = fc.oneof(fc.constantFrom('model', 'stream', 'a"b', '\\', 'é', ''), fc.string({ maxLength: 4 }));
  const change = fc.oneof(fc.constant(undefined), fc.jsonValue({ maxDepth: 2 }));
  const spaces = fc.constantFrom(undefined, 1, '\t');
  fc.assert(
    fc.property(
      fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 }),
      fc.dictionary(name, change, { maxKeys: 4 }),
      spaces,
      (fields, changes, space) => {
        const spliced = splicedFields(JSON.stringify(fields, null, space), changes);
        expect(JSON.parse(spliced)).toEqual(JSON.parse(JSON.stringify({ ...fields, ...changes })));
      },
    ),
    { numRuns: 2000 },
  );
});
