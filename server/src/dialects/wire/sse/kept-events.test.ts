import type { EventBlock } from './event-blocks.js';
import { eventsOf } from './event-parser.js';
import { KeptEvents } from './kept-events.js';

const block = (...texts: string[]): EventBlock => {
  const bytes = Buffer.from(texts.map((text) => `data: ${text}\n\n`).join(''));
  return { bytes, text: bytes.toString('latin1') };
};
const taken = (kept: KeptEvents): string[] => eventsOf(kept.take()).map(({ data }) => data);

it('gives back every event in order, and forgets what it gave', () => {
  const kept = new KeptEvents();
  const texts = Array.from({ length: 200 }, (_, at) => `${'é'.repeat(at % 7)}${at}`);
  for (const text of texts) kept.add(block(text));
  expect(taken(kept)).toEqual(texts);
  expect(kept.take()).toBeNull();
  kept.add(block('more'));
  expect(taken(kept)).toEqual(['more']);
});

it('lets go of what the network delivered: it may change', () => {
  const kept = new KeptEvents();
  const given = block('first');
  kept.add(given);
  given.bytes.fill(0);
  expect(taken(kept)).toEqual(['first']);
});

it('says when it is full, and takes a block of any size until then', () => {
  const kept = new KeptEvents(100);
  expect(kept.add(block('x'.repeat(50)))).toBe(false);
  expect(kept.add(block('y'.repeat(5000)))).toBe(true);
  expect(taken(kept).map((data) => data.length)).toEqual([50, 5000]);
  expect(kept.add(block('z'))).toBe(false);
});

it('keeps fewer bytes of what comes piece by piece', () => {
  const kept = new KeptEvents();
  const full = Array.from({ length: 8 }, () => kept.add(block('a few words')));
  expect(full.lastIndexOf(false)).toBe(6);
  expect(full[7]).toBe(true);
});
