import { createLogger } from './platform/observability/logger.js';
import { Shutdown } from './shutdown.js';

let lines = '';
const logger = createLogger('info', { write: (line: string) => void (lines += line) });

beforeEach(() => {
  lines = '';
});

it('undoes last first, one after the other, once for all callers', async () => {
  const order: string[] = [];
  const shutdown = new Shutdown(logger);
  for (const name of ['database', 'services', 'http']) {
    shutdown.onStop(name, async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      order.push(name);
    });
  }
  await Promise.all([shutdown.stop(), shutdown.stop()]);
  await shutdown.stop();
  expect(order).toEqual(['http', 'services', 'database']);
});

it('tells which part failed and goes on', async () => {
  const closed: string[] = [];
  const shutdown = new Shutdown(logger);
  shutdown.onStop('database', () => void closed.push('database'));
  shutdown.onStop('cache', () => {
    throw new Error('stuck');
  });
  await shutdown.stop();
  expect(closed).toEqual(['database']);
  expect(JSON.parse(lines)).toMatchObject({ step: 'cache', err: { message: 'stuck' } });
});
