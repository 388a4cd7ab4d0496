import fc from 'fast-check';
import { newJsonScan, scanJson } from '../../../shared/json.js';
import { CutBody, groupBytes } from './cut-body.js';
import { parseAhead, parseJsonBody } from './json-body.js';

const bounds = { maxDepth: 128, maxValues: 400_000 };

function cut(text: string): { body: CutBody; bytes: Buffer } {
  const bytes = Buffer.from(text);
  const body = new CutBody(bytes);
  scanJson(bytes, newJsonScan(), bounds, bytes.length, body);
  return { body, bytes };
}

const names = fc.constantFrom('messages', 'input', 'contents');
const word = fc.constantFrom('a', '\\"', '\\\\', '],[', '}', ',', ' ', 'é', '你好', '😀', '\\u0061', '\\ud83d');
const words = fc.array(word, { minLength: 1, maxLength: 20 }).map((list) => list.join(''));
/** The JSON of one turn of some bytes; a few have a long string or an integer that a double does not hold. */
const turn = fc.record({ text: words, times: fc.nat(400), kind: fc.nat(30) }).map(({ text, times, kind }) => {
  if (kind === 0) return `{"role":"user","content":"${text.repeat(8000)}"}`;
  if (kind === 1) return `{"input":{"id":12345678901234567890},"content":"${text.repeat(times)}"}`;
  if (kind === 2) return `["${text}",[]]`;
  return ` {"role":"user", "content":[{"text":"${text.repeat(times)}","n":[1,{},null]}]}`;
});
const turns = fc.array(turn, { minLength: 1, maxLength: 60 });
const filler = Array.from({ length: 300 }, (_, index) => `{"role":"user","content":"${'x'.repeat(2500)}${index}"}`);
const fields = fc.constantFrom('', '"a":[[1,2],{"messages":[3,4]}]', `"tools":[{"name":"${'x'.repeat(100_000)}"},{}]`);

const bodyOf = (name: string, list: readonly string[], before: string, after: string): string =>
  `{${before}${before && ','}"${name}" : [${[...filler, ...list].join(',')}]${after && ','}${after.replace('"a"', '"b"').replace('tools', 'more')}}`;

async function outcome(text: string, isAhead: boolean): Promise<unknown> {
  const bytes = Buffer.from(text);
  try {
    if (isAhead) await parseAhead(bytes);
    return parseJsonBody(bytes);
  } catch (error) {
    return (error as Error).message;
  }
}

it('no group of turns is larger than the bound, unless it is one turn', () => {
  fc.assert(
    fc.property(names, turns, fields, fields, (name, list, before, after) => {
      const { body } = cut(bodyOf(name, list, before, after));
      const commas = new Set(body.turns?.commas);
      let from = body.turns?.open ?? 0;
      for (const end of body.groupEnds) {
        const isOne = ![...commas].some((comma) => comma > from && comma < end);
        const bytes = Buffer.byteLength(body.text(from + 1, end));
        // A mark is longer than the quotes that it stands for.
        const marks = 64 * body.long.filter(([open]) => open > from && open < end).length;
        expect(isOne || bytes <= groupBytes + marks).toBe(true);
        from = end;
      }
      expect(from).toBe(body.turns?.close);
      expect(body.groupEnds.length).toBeGreaterThan(1);
    }),
    { numRuns: 20 },
  );
});

it('a body parsed in groups is the same as one parsed at once', async () => {
  await fc.assert(
    fc.asyncProperty(names, turns, fields, fields, async (name, list, before, after) => {
      const text = bodyOf(name, list, before, after);
      expect(await outcome(text, true)).toEqual(await outcome(text, false));
    }),
    { numRuns: 20 },
  );
});

it('keeps the name of a field, however long it is', async () => {
  const name = 'n'.repeat(100_000);
  const text = `{"messages":[${filler.join(',')},{"${name}" : "${name}"}]}`;
  expect(await outcome(text, true)).toEqual(JSON.parse(text));
});

describe('a body parsed in groups is refused for the same reasons', () => {
  const around = (what: string): string => `{"messages":[${[...filler, what, ...filler].join(',')}],"model":"m"}`;
  it.each([
    ['a missing turn', around(''), 'not valid JSON'],
    ['a comma behind the last turn', `{"messages":[${filler.join(',')},]}`, 'not valid JSON'],
    ['a comma before the first turn', `{"messages":[,${filler.join(',')}]}`, 'not valid JSON'],
    ['two values without a comma', around('{} {}'), 'not valid JSON'],
    ['a field in the list', around('"a":1'), 'not valid JSON'],
    ['a bracket of the other kind', around('{"a":[1}]'), 'not valid JSON'],
    ['a list that another bracket ends', `{"messages":[${filler.join(',')}},"model":"m"]`, 'not valid JSON'],
    ['a list without end', `{"messages":[${filler.join(',')}`, 'not valid JSON'],
    ['text behind the body', `${around('{}')}{"messages":[1,2]}`, 'not valid JSON'],
    ['a field of a turn twice', around('{"role":"user","role":"system"}'), 'a field is repeated'],
    ['the turns twice', `{"messages":[${filler.join(',')}],"messages":[1]}`, 'a field is repeated'],
    ['a field in another case', around('{}').replace('"model"', '"Model"'), 'another case'],
    ['a deep turn', around('['.repeat(130) + ']'.repeat(130)), 'nested more than'],
    ['too many values', around(`[${'0,'.repeat(400_000)}0]`), 'more than 400000 values'],
  ])('%s', async (_name, text, message) => {
    expect(await outcome(text, true)).toContain(message);
    expect(await outcome(text, false)).toContain(message);
  });
});
