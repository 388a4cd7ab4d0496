import { HeldOpening } from './held-opening.js';

const opening = 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n';
const content = 'data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n';
/** An opening of Responses, which contains the instructions of the request. */
const created = `event: response.created\ndata: {"response":{"instructions":"${'Be brief. '.repeat(1000)}"}}\n\n`;

function forwardedOf(...outputs: ReadonlyArray<Buffer | string>): string[] {
  const forwarded: string[] = [];
  const held = new HeldOpening((out) => void forwarded.push(out.toString()));
  for (const out of outputs) held.push(out);
  held.drop();
  return forwarded;
}

it.each([
  ['an opening', opening],
  ['many openings', opening.repeat(100)],
  ['comments', ': PING\n\n'.repeat(1000)],
  ['a long opening', created],
  ['an opening whose lines end in CRLF', opening.repeat(100).replaceAll('\n', '\r\n')],
])('holds %s', (_what, out) => {
  expect(forwardedOf(out)).toEqual([]);
  expect(forwardedOf(Buffer.from(out))).toEqual([]);
});

it.each([
  ['content', content],
  ['content after an opening', opening + content],
  ['content far behind', opening.repeat(100) + content],
  ['content after a long opening', created + content],
  ['content whose lines end in CRLF', (opening.repeat(100) + content).replaceAll('\n', '\r\n')],
])('forwards %s, and what was held before, as one', (_what, out) => {
  expect(forwardedOf(out)).toEqual([out]);
  expect(forwardedOf(Buffer.from(opening), Buffer.from(out))).toEqual([opening + out]);
});

it('finds content at every place of the output', () => {
  for (let length = 1900; length < 2200; length++) {
    const out = `: ${'x'.repeat(length)}\n\n${content}`;
    expect(forwardedOf(out)).toEqual([out]);
    expect(forwardedOf(`: ${'x'.repeat(length)}\n\n${opening}`)).toEqual([]);
  }
});
