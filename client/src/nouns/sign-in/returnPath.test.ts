import { returnPath } from './returnPath.js';

it.each([
  [{ from: '/channel?page=2' }, '/channel?page=2'],
  [{ from: '//evil.example/x' }, '/token'],
  [{ from: '/\\evil.example' }, '/token'],
  [{ from: 'https://evil.example' }, '/token'],
  [null, '/token'],
])('after sign-in, %j leads to %s', (state, path) => {
  expect(returnPath(state)).toBe(path);
});
