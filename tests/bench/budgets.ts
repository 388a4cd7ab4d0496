/**
 * Measures the CPU time that budgets and limits per minute add to a call: for callers without budgets, on a site without any
 * and on one where a thousand other keys and groups have some, and for a caller with a budget. Run alone: `npm run bench --
 * budgets`. Fails above the goal.
 */
import { BudgetDirectory } from '../../server/src/billing/budgets/budget-directory.js';
import { noBudgets, type KnownBudgetRow } from '../../server/src/billing/budgets/known-budget.js';
import type { Caller } from '../../server/src/gateway/admit/authentication.js';
import { BudgetRefusals } from '../../server/src/billing/budgets/budget-refusals.js';
import { CallBudgets } from '../../server/src/gateway/admit/call-budgets.js';
import type { KnownBudget } from '../../server/src/shared/budget.js';
import { systemClock } from '../../server/src/shared/clock.js';

/** Microseconds of CPU time a call of a caller without budgets. */
const goal = 0.5;
const calls = 2_000_000;

const rowOf = (id: number, fields: Partial<KnownBudgetRow>): { budget: KnownBudgetRow } => ({
  budget: {
    id,
    level: 'group',
    subjectId: 0,
    groupName: `group ${id}`,
    kind: 'requests',
    amount: 1000,
    span: 'day',
    isRolling: false,
    timeZone: 'UTC',
    startsAt: null,
    endsAt: null,
    models: [],
    ...fields,
  },
});

const budget: KnownBudget = {
  id: 1,
  level: 'token',
  kind: 'money',
  amount: 500_000,
  models: [],
  span: 'day',
  isRolling: false,
  timeZone: 'Europe/Berlin',
  startsAt: null,
  endsAt: null,
};

const callerWith = (budgets: readonly KnownBudget[]): Caller =>
  ({ user: { id: 7, budgets: noBudgets, rates: noBudgets }, token: { id: 9, budgets, rates: noBudgets } }) as never;

async function budgetsAmong(rows: ReadonlyArray<{ budget: KnownBudgetRow }>): Promise<CallBudgets> {
  const silent = { warn: () => undefined };
  const directory = new BudgetDirectory({ query: async () => rows }, silent);
  await directory.start({ on: () => undefined } as never, 3600);
  directory.stop();
  return new CallBudgets(directory, systemClock, new BudgetRefusals());
}

/** Runs all work of a call for budgets before its reservation. @returns microseconds of CPU time a call */
function measure(budgets: CallBudgets, caller: Caller): { microseconds: number; held: number } {
  let held = 0;
  const play = (count: number): void => {
    for (let call = 0; call < count; call++) {
      if (budgets.rates(caller, 'default', 'gpt-4o')) held++;
      const budgeted = budgets.of(caller, 'default', 'gpt-4o');
      if (budgeted?.holds({ money: 1, tokens: 1 })) held++;
      if (budgets.hasChannel(3)) held++;
    }
  };
  play(200_000);
  held = 0;
  const before = process.cpuUsage();
  play(calls);
  const { user, system } = process.cpuUsage(before);
  return { microseconds: (user + system) / calls, held };
}

const others = Array.from({ length: 1000 }, (_, at) =>
  rowOf(at + 1, at % 2 === 0 ? {} : { span: 'minute', groupName: `group ${at}` }),
);
const [none, among] = [await budgetsAmong([]), await budgetsAmong(others)];
const cases = {
  'without any budget on the site': { ...measure(none, callerWith(noBudgets)), isFree: true },
  'without a budget, 1,000 others have one': { ...measure(among, callerWith(noBudgets)), isFree: true },
  'with a budget of money a day': { ...measure(among, callerWith([budget])), isFree: false },
};
for (const [name, { microseconds, held, isFree }] of Object.entries(cases)) {
  const shown = isFree ? ` (goal: at most ${goal})` : '';
  process.stdout.write(`caller ${name}: ${microseconds.toFixed(4)} µs of CPU a call${shown}\n`);
  if (isFree ? held > 0 || microseconds > goal : held === 0) process.exitCode = 1;
}
