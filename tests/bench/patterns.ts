/**
 * Measures how long words and patterns of admins block the event loop for other calls, for the worst patterns and bodies,
 * and how much time they add to a small call. Run alone: `npm run bench -- patterns`. Fails above the goals.
 */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { defaultOptionValues, type OptionValues } from '../../server/src/options/option-registry.js';
import { createLogger } from '../../server/src/platform/observability/logger.js';
import type { Caller } from '../../server/src/gateway/admit/authentication.js';
import { SensitiveWords } from '../../server/src/gateway/admit/sensitive-words.js';
import { bodyTexts, withTexts } from '../../server/src/gateway/admit/guardrails/body-texts.js';
import { Guardrails } from '../../server/src/gateway/admit/guardrails/guardrails.js';
import { SearchTime } from '../../server/src/platform/matching/search.js';
import { jsonInTurns } from '../../server/src/shared/json-in-turns.js';

/** Milliseconds. */
const goals = { delay: 50, added: 0.5 };

type Rule = OptionValues['guardrails.rules'][number];
type Settings = Partial<Pick<OptionValues, 'guardrails.rules' | 'SensitiveWords'>>;

const logger = createLogger('silent');
const caller = { user: { id: 1 }, token: { id: 1 } } as Caller;

/** Runs every check of a call's input between its price and its reservation. @returns whether the call was refused */
async function check(settings: Settings, body: unknown): Promise<boolean> {
  const options = { values: { ...defaultOptionValues(), ...settings } };
  const words = new SensitiveWords(options, logger);
  const guardrails = new Guardrails({ words, options, logger, fetcher: null as never });
  return checkWith(guardrails, body);
}

async function checkWith(guardrails: Guardrails, body: unknown): Promise<boolean> {
  const time = new SearchTime();
  try {
    const texts = await bodyTexts(body);
    await guardrails.words.check(texts, { userId: 1, requestId: 'bench', time });
    const passed = (await guardrails.of(caller, 'default', 'm', 'bench', time)?.apply(texts, 'input')) ?? texts;
    if (passed !== texts) await jsonInTurns(await withTexts(body, passed));
    return false;
  } catch {
    return true;
  }
}

const words = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index}-word-of-the-list`);
const rules = (count: number, action: 'block' | 'mask' | 'log', ...entries: string[]): Settings => ({
  'guardrails.rules': Array.from({ length: count }, (_, index): Rule => ({
    name: `rule ${index}`,
    stage: 'both',
    action,
    check: 'words',
    words: entries,
  })),
});
const settings: Record<string, Settings> = {
  '(a+)+$, 50 rules, log': rules(50, 'log', 'regex:(a+)+$'),
  '(.*a){20}, 50 rules, mask': rules(50, 'mask', 'regex:(.*a){20}'),
  'many alternatives, mask': rules(1, 'mask', `regex:${words(20).join('|')}|(?:a|aa|aaa)+!`),
  '5,000 words, 50 rules, log': rules(50, 'log', ...words(5000)),
  'a frequent word, mask': rules(1, 'mask', 'a'),
  'personal data, mask': {
    'guardrails.rules': [
      { name: 'data', stage: 'both', action: 'mask', check: 'patterns', patterns: ['email', 'phone', 'card', 'key'] },
    ],
  },
  '10,000 blocked words': { SensitiveWords: words(10_000) },
};
const many = (count: number, text: string): unknown => ({
  messages: Array.from({ length: count }, () => ({ role: 'user', content: text })),
});
const bodies: Record<string, unknown> = {
  '1 MB in a text': many(1, 'a'.repeat(1_000_000)),
  '60 MB in a text': many(1, '9999-word-of-the-lis '.repeat(2_900_000)),
  '60 MB in 90,000 texts': many(90_000, '9999-word-of-the-lis '.repeat(32)),
  '390,000 nested texts': {
    input: Array.from({ length: 3000 }, () => [
      ['a'.repeat(12), ['a'], [['a']]],
      ...Array.from({ length: 120 }, () => 'a'),
    ]),
  },
};

const delay = monitorEventLoopDelay({ resolution: 1 });
const report = (line: string, isMissed: boolean): void => {
  process.stdout.write(`${line}${isMissed ? '  ABOVE THE GOAL' : ''}\n`);
  if (isMissed) process.exitCode = 1;
};
await check(settings['(a+)+$, 50 rules, log'] ?? {}, many(1, 'warm'));
for (const [of, setting] of Object.entries(settings)) {
  for (const [name, body] of Object.entries(bodies)) {
    const begun = performance.now();
    delay.reset();
    delay.enable();
    const isRefused = await check(setting, body);
    delay.disable();
    const longest = delay.max / 1e6;
    const whole = ((performance.now() - begun) / 1000).toFixed(2);
    const end = isRefused ? 'refused' : 'passed';
    report(`${of}; ${name}: at most ${longest.toFixed(1)} ms late, ${end} after ${whole} s`, longest > goals.delay);
  }
}
for (const [of, setting] of Object.entries({
  'a word': rules(1, 'log', 'heron'),
  'a pattern': rules(1, 'log', 'regex:her+on'),
})) {
  const options = { values: { ...defaultOptionValues(), ...setting } };
  const own = new SensitiveWords(options, logger);
  const guardrails = new Guardrails({ words: own, options, logger, fetcher: null as never });
  const body = many(3, 'A text of a usual length. '.repeat(20));
  const took: number[] = [];
  for (let call = 0; call < 2000; call++) {
    const begun = performance.now();
    await checkWith(guardrails, body);
    took.push(performance.now() - begun);
  }
  const median = took.sort((one, other) => one - other)[1000] ?? 0;
  report(`${of} adds ${median.toFixed(3)} ms to a small call (median)`, median > goals.added);
}
process.exit();
