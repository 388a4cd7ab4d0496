import { defaultOptionValues } from '../../options/option-registry.js';
import { systemClock } from '../../shared/clock.js';
import { BodyBudget } from '../admit/body-budget.js';
import { Captures, type Captured } from './captures.js';

it('stores a body that is read again after its call has ended', async () => {
  const stored: unknown[][] = [];
  const captures = new Captures({
    database: { query: (_sql: string, values: unknown[]) => Promise.resolve(stored.push(values)) },
    options: { values: defaultOptionValues() },
    clock: systemClock,
    logger: { error: (details: object) => stored.push([details]) } as never,
  });
  const bytes = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: 'a'.repeat(64 * 1024) }] }));
  const grant = new BodyBudget({ node: Infinity, user: Infinity }).open(1);
  grant.holdBody(bytes);
  const call = {
    requestId: 'r',
    caller: { user: { id: 1 }, token: { id: 2 } },
    route: { group: 'g', model: 'm' },
    request: {
      body: {
        get messages(): unknown {
          return (JSON.parse(bytes.toString()) as { messages: unknown }).messages;
        },
      },
    },
  };
  const rule = { percent: 100, redact: [], groups: undefined };
  captures.keep(call as unknown as Captured, rule, { transcript: 'b' }, grant);
  grant.release();
  for (let turn = 0; stored.length === 0 && turn < 100; turn++) await new Promise(setImmediate);
  expect(stored).toEqual([
    expect.arrayContaining(['r', 'b', expect.stringMatching(/^\{"messages":\[\{"role":"user"/)]),
  ]);
  if ('transfer' in ArrayBuffer.prototype) expect(bytes).toHaveLength(0);
});
