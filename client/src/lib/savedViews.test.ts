import { listOf, readViews, removeView, saveView, searchOfView } from './savedViews.js';

beforeEach(() => localStorage.clear());

it('keeps filters, sort order and size, not where someone is', () => {
  expect(searchOfView('?status=ENABLED&page=3&row=7&rowAt=1763735528&size=50&sort=balance%3Aasc')).toBe(
    'size=50&sort=balance%3Aasc&status=ENABLED',
  );
  expect(searchOfView('')).toBe('');
});

it('belongs to the list, whatever is open on it', () => {
  expect([listOf('/channel'), listOf('/channel/edit/7'), listOf('/user/edit/1')]).toEqual([
    '/channel',
    '/channel',
    '/user',
  ]);
});

it('replaces a view of the same name, and removes views of its own list only', () => {
  saveView('/user', { name: 'banned', search: '?status=BANNED' });
  saveView('/channel', { name: 'banned', search: '?status=DISABLED' });
  saveView('/user', { name: 'admins', search: '?role=ADMIN' });
  expect(saveView('/user', { name: 'banned', search: '?status=BANNED&group=vip&page=2' })).toEqual([
    { name: 'admins', search: 'role=ADMIN' },
    { name: 'banned', search: 'group=vip&status=BANNED' },
  ]);
  expect(removeView('/user', 'banned')).toEqual([{ name: 'admins', search: 'role=ADMIN' }]);
  expect(readViews('/channel')).toEqual([{ name: 'banned', search: 'status=DISABLED' }]);
});

it('ignores what another program has stored there', () => {
  localStorage.setItem('views:/user', '[{"name":5},{"name":"a","search":"x=1"},null]');
  expect(readViews('/user')).toEqual([{ name: 'a', search: 'x=1' }]);
  localStorage.setItem('views:/user', '{}');
  expect(readViews('/user')).toEqual([]);
});
