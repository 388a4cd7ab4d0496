import type pg from 'pg';
import { features } from './features.js';

/** A session of an engine that answers each statement of the probe like this. */
const session = (answer: (text: string) => Promise<unknown>): pg.Client =>
  ({ query: (text: string) => answer(text) }) as pg.Client;
const done = session(() => Promise.resolve({ rows: [] }));
const failsAtLock = (code: string): pg.Client =>
  session((text) =>
    text.startsWith('LOCK')
      ? Promise.reject(Object.assign(new Error('refused'), { code }))
      : Promise.resolve({ rows: [] }),
  );

it.each([
  ['locks that others do not see', done, false],
  ['no such statement', failsAtLock('0A000'), false],
  ['locks that others see', failsAtLock('55P03'), true],
])('an engine with %s', async (_what, second, expected) => {
  const probe = features.find(({ code }) => code === 'TABLE_LOCKS')?.probe;
  expect(await probe?.(done, second)).toBe(expected);
});
