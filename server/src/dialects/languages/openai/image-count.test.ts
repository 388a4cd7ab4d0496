import fc from 'fast-check';
import { parseFields } from '../../neutral/fields.js';
import { countedImages, ImageCount } from './image-count.js';

const countIn = (text: string, ...cuts: number[]): number | undefined => {
  const bytes = Buffer.from(text);
  const count = new ImageCount();
  let start = 0;
  for (const cut of [...cuts.map((each) => each % bytes.length).sort((one, other) => one - other), bytes.length]) {
    count.push(bytes.subarray(start, cut));
    start = cut;
  }
  return count.found;
};

it.each<[text: string, images: number | undefined]>([
  ['{"data":[]}', 0],
  ['{"created":1,"data":[{"b64_json":"AAAA"},{"url":"https://x.example"}],"usage":{"data":[{}]}}', 2],
  ['{ "usage" : { "data" : [ {} ] } , "data" : [ { "b64_json" : "AA\\\\" } ] }', 1],
  ['{"data":[{"b64_json":"\\\\\\"},{"},{"revised_prompt":"[{\\"data\\":[{},{}]}]"}]}', 2],
  ['{"data":[{"error":{"code":"filtered"}},{"url":"u","error":null},{"url":"u","parts":[{"error":1}]}]}', 2],
  ['{"other":[{},{}],"data":{"list":[{}]}}', undefined],
  ['{"data":"[{}]"}', undefined],
  ['{"data":[{"b64_json":"AAAA"},{"b64', undefined],
  ['[{"data":[{}]}]', undefined],
])('counts the images of %s', (text, images) => {
  expect(countIn(text)).toBe(images);
  for (let cut = 1; cut < text.length; cut++) expect(countIn(text, cut)).toBe(images);
});

it('finds in any object the number that its parser finds, wherever it is cut', () => {
  const text = fc.string({ unit: fc.constantFrom(...'"\\{}[]:,aé ') });
  const entry = fc.record(
    { b64_json: text, revised_prompt: fc.jsonValue(), error: fc.constantFrom(null, 'e') },
    { requiredKeys: [] },
  );
  const body = fc.record({ before: fc.jsonValue(), data: fc.array(fc.oneof(entry, text)), after: fc.jsonValue() });
  fc.assert(
    fc.property(body, fc.array(fc.nat()), fc.boolean(), (answer, cuts, isWide) => {
      const written = JSON.stringify(answer, null, isWide ? 2 : 0);
      expect(countIn(written, ...cuts)).toBe(countedImages(parseFields(written) ?? {})?.images);
    }),
  );
});
