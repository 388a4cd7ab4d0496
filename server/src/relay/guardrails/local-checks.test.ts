import { Script } from 'node:vm';
import { wordsCheck } from './local-checks.js';

afterEach(() => jest.restoreAllMocks());

it('checks a text again when the time passed without this process computing', () => {
  const check = wordsCheck(['regex:dur+ian']);
  // As on a machine whose cores are busy with other processes.
  const late = jest.spyOn(Script.prototype, 'runInContext').mockImplementationOnce(() => {
    throw new Error('Script execution timed out after 50ms');
  });
  expect(check('an innocent text')).toEqual([]);
  expect(late).toHaveBeenCalledTimes(2);
});

it('takes a pattern for found that computes for too long, at once', () => {
  const check = wordsCheck(['regex:(a+)+$']);
  const text = `${'a'.repeat(40)}!`;
  const runs = jest.spyOn(Script.prototype, 'runInContext');
  expect(check(text)).toEqual([{ what: 'regex:(a+)+$', start: 0, end: text.length }]);
  expect(runs.mock.calls.length).toBeLessThanOrEqual(5);
});
