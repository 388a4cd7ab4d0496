import { modelsAfterType, newChannel, otherDefault, regionProblem, toInput } from './channelForm.js';

const lists: Record<number, readonly string[]> = {
  1: ['gpt-4o'],
  2: ['mj_imagine', 'mj_upscale'],
  5: ['mj_imagine', 'swap_face'],
  36: ['suno_music', 'suno_lyrics'],
};
const after = (chosen: readonly string[], from: number, to: number) =>
  modelsAfterType(chosen, from, to, (type) => lists[type] ?? []);

it.each([2, 5, 36])('begins a channel of type %d with all models of its kind', (type) => {
  expect(after([], 1, type)).toEqual(lists[type]);
});

it('changes what it filled in by itself along with the type, and takes it away with it', () => {
  expect(after(['mj_upscale', 'mj_imagine'], 2, 36)).toEqual(['suno_music', 'suno_lyrics']);
  expect(after(['suno_music', 'suno_lyrics'], 36, 1)).toEqual([]);
});

it('leaves chosen models alone', () => {
  expect(after(['gpt-4o'], 1, 36)).toBeNull();
  expect(after(['suno_music'], 36, 1)).toBeNull();
  expect(after([], 1, 14)).toBeNull();
});

it('sends a version for the type that needs one, although nobody typed it', () => {
  expect(toInput({ ...newChannel, type: 18, other: ' ' }).other).toBe('v2.1');
  expect(toInput({ ...newChannel, type: 18, other: 'v3.5' }).other).toBe('v3.5');
  expect(toInput({ ...newChannel, type: 3 }).other).toBe(otherDefault(3));
  expect(otherDefault(3)).toBe('');
});

it.each([
  ['us-central1', null],
  ['', null],
  ['{"default": "us-central1"}', null],
  ['{\n  "default": us\n}', 2],
])('takes a region as plain text or as JSON: %j', (text, line) => {
  expect(regionProblem(text)).toBe(line);
});
