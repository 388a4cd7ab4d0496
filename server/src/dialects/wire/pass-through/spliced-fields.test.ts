import fc from 'fast-check';
import { splicedFields, splicedWithin } from './spliced-fields.js';

const id = '1318304912345678901';

const spliced = (text: string, changes: Record<string, unknown>): string =>
  splicedFields(Buffer.from(text), changes).toString();

it('changes fields and leaves the other values as they are written', () => {
  const text = `{ "model" : "alias", "n": 1.0 ,\n "input": {"id": ${id}, "model": "x"} }`;
  expect(spliced(text, { model: 'gpt-4o' })).toBe(`{"model":"gpt-4o","n":1.0,"input":{"id": ${id}, "model": "x"}}`);
  expect(spliced(text, { n: undefined, stream: true })).toBe(
    `{"model":"alias","input":{"id": ${id}, "model": "x"},"stream":true}`,
  );
  expect(spliced(text, { model: undefined, n: undefined, input: undefined })).toBe('{}');
  expect(spliced('{"a":[1],"b":true}', { a: undefined })).toBe('{"b":true}');
});

it('changes a field of an object within', () => {
  const text = `{"n": 1.0, "message": { "model": "a", "id": ${id} }, "x": "é"}`;
  expect(splicedWithin(Buffer.from(text), 'message', { model: 'b' }).toString()).toBe(
    `{"n": 1.0, "message": {"model":"b","id":${id}}, "x": "é"}`,
  );
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
        expect(JSON.parse(spliced(JSON.stringify(fields, null, space), changes))).toEqual(
          JSON.parse(JSON.stringify({ ...fields, ...changes })),
        );
      },
    ),
    { numRuns: 2000 },
  );
});
