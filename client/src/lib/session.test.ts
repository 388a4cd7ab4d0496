import { fromStoredUser, toStoredUser } from './session.wire.js';
import { session } from './session.js';

const user = { id: 7, username: 'mira', displayName: 'Mira Chen', role: 10, status: 1, group: 'vip' };

it('is kept under `user` in the shape that browser extensions read', () => {
  session.start(user);
  expect(JSON.parse(localStorage.getItem('user') ?? '')).toEqual({
    id: 7,
    username: 'mira',
    display_name: 'Mira Chen',
    role: 10,
    status: 1,
    group: 'vip',
  });
  session.end();
  expect(localStorage.getItem('user')).toBeNull();
});

it('survives the round', () => {
  expect(fromStoredUser(toStoredUser(user))).toEqual(user);
});

it.each([null, 'root', { id: '7', username: 'mira', role: 1 }, { id: 7, role: 1 }, { id: 7, username: 'mira' }])(
  'nobody is signed in by %j',
  (stored) => {
    expect(fromStoredUser(stored)).toBeNull();
  },
);

it('ends here when another tab logs out', () => {
  session.start(user);
  localStorage.removeItem('user');
  dispatchEvent(new StorageEvent('storage', { key: 'user' }));
  expect(session.get()).toBeNull();
});
