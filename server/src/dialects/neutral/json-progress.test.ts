import fc from 'fast-check';
import { JsonProgress } from './block-sequencer.js';

const wholeAfter = (...pieces: string[]): boolean => {
  const progress = new JsonProgress();
  for (const piece of pieces) progress.push(piece);
  return progress.whole;
};

describe('JSON that arrives in pieces', () => {
  it.each(['{}', '[]', '{"a":"}"}', '{"a":"\\"}"}', '{"a":"\\\\"}', '"text"', ' {"a":[{}]} '])(
    '%s is whole',
    (text) => {
      expect(wholeAfter(...text)).toBe(true);
    },
  );

  it.each(['', ' ', '{', '{"a":"}', '{"a":"\\"}', '{"a":"\\\\\\"}', '[{}', '"text'])('%j is not', (text) => {
    expect(wholeAfter(text)).toBe(false);
  });

  it('is whole at its end and never before', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        const progress = new JsonProgress();
        for (const piece of text.slice(0, -1)) {
          progress.push(piece);
          expect(progress.whole).toBe(false);
        }
        progress.push(text.slice(-1));
        expect(progress.whole).toBe(true);
      }),
    );
  });
});
