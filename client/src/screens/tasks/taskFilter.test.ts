import { rangeOf } from '../../lib/timeRange.js';
import { audioOf, noFilters, secondsBetween, toTaskFilter } from './taskFilter.js';

const start = new Date('2026-01-01T00:00:00Z');

it('asks from the start of the list, without an end, unless told otherwise', () => {
  const open = { submitted: { from: '2026-01-01T00:00:00.000Z', until: null } };
  expect(toTaskFilter(noFilters, start, true)).toEqual(open);
  const closed = { ...noFilters, from: '1767312000', to: '1767398400' };
  expect(toTaskFilter(closed, start, true)).toEqual({
    submitted: { from: '2026-01-02T00:00:00.000Z', until: '2026-01-03T00:00:00.000Z' },
  });
  expect(rangeOf({ ...noFilters, from: 'nonsense' }, start)).toEqual({ from: start, to: null });
});

it('asks for a channel only as an admin, and only for a number', () => {
  const filters = { ...noFilters, channelId: ' 12 ' };
  expect(toTaskFilter(filters, start, true)).toMatchObject({ channelIds: [12] });
  expect(toTaskFilter(filters, start, false)).not.toHaveProperty('channelIds');
  expect(toTaskFilter({ ...noFilters, channelId: 'x' }, start, true)).not.toHaveProperty('channelIds');
});

it('asks for one task by its ID', () => {
  expect(toTaskFilter({ ...noFilters, task: ' m7 ' }, start, false)).toMatchObject({ taskIds: ['m7'] });
  expect(toTaskFilter(noFilters, start, false)).not.toHaveProperty('taskIds');
});

it('has no duration before the end', () => {
  expect(secondsBetween('2026-01-01T00:00:00Z', null)).toBeNull();
  expect(secondsBetween('2026-01-01T00:00:00Z', '2026-01-01T00:01:05Z')).toBe(65);
});

it('finds where a song can be heard at any depth, and ignores what is no web address', () => {
  expect(audioOf([{ clips: { a: { audio_url: 'https://cdn.example.com/a.mp3' } } }])).toBe(
    'https://cdn.example.com/a.mp3',
  );
  expect(audioOf({ audio_url: 'javascript:alert(1)' })).toBeNull();
  expect(audioOf('https://cdn.example.com/a.mp3')).toBeNull();
  expect(audioOf(null)).toBeNull();
});
