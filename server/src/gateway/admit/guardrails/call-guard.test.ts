import { pino } from 'pino';
import { slicesDuring } from '../../../../../tests/support/growth.js';
import type { GuardrailRule } from '../../../shared/guardrail-rule.js';
import { SearchTime } from '../../../platform/matching/search.js';
import { CallGuard } from './call-guard.js';
import { localCheck } from './local-checks.js';

it('lets other calls go on between rules that search a text at once', async () => {
  const rules = Array.from({ length: 50 }, (_, at) => {
    const name = `rule ${at}`;
    const rule: GuardrailRule = { name, check: 'words', words: [name], stage: 'input', action: 'block' };
    return { rule, local: localCheck(rule), remote: null };
  });
  const caller = { requestId: 'a', model: 'm', group: 'default', userId: 1 };
  const guard = new CallGuard(rules, caller, pino({ level: 'silent' }), new SearchTime());
  // Prepares the words.
  await guard.apply(['a'], 'input');
  expect(await slicesDuring(() => guard.apply(['x'.repeat(1000)], 'input'))).toBeLessThan(3);
  expect(await slicesDuring(() => guard.apply(['x'.repeat(60_000)], 'input'))).toBeGreaterThan(20);
});
