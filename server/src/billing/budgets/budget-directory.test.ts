import { Changes } from '../../platform/cache/changes.js';
import { MemoryState } from '../../platform/cache/memory-state.js';
import { BudgetDirectory } from './budget-directory.js';
import type { KnownBudgetRow } from './known-budget.js';

const budget = (id: number): { budget: KnownBudgetRow } => ({
  budget: {
    id,
    level: 'site',
    subjectId: 0,
    groupName: '',
    kind: 'money',
    amount: 1,
    span: 'day',
    isRolling: false,
    timeZone: 'UTC',
    startsAt: null,
    endsAt: null,
    models: [],
  },
});

it('has the newest budgets, whichever read ends last', async () => {
  const reads: Array<(rows: object[]) => void> = [];
  const database = { query: () => new Promise<object[]>((resolve) => reads.push(resolve)) };
  const directory = new BudgetDirectory(database, { warn: () => undefined });
  const changes = new Changes(new MemoryState());
  const started = directory.start(changes, 60);
  reads[0]?.([]);
  await started;
  const first = changes.announce({ kind: 'budget' });
  const second = changes.announce({ kind: 'budget' });
  expect(reads).toHaveLength(3);
  reads[2]?.([budget(1), budget(2)]);
  await second;
  expect(directory.site.budgets.map(({ id }) => id)).toEqual([1, 2]);
  reads[1]?.([budget(1)]);
  await first;
  expect(directory.site.budgets.map(({ id }) => id)).toEqual([1, 2]);
  expect(directory.isEmpty).toBe(false);
  directory.stop();
});
