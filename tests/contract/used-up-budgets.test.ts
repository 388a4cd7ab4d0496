import { Site, type Person } from './site.js';

/** A key shows the budgets that refuse its calls. */
let site: Site;
let root: Person;
let owner: Person;
let other: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  [owner, other] = [await site.invite(root), await site.invite(root)];
});
afterAll(() => site.stop());
beforeEach(() => site.query('DELETE FROM budgets'));

async function addTokens(person: Person, names: readonly string[]): Promise<number[]> {
  const rows = await site.query<{ id: number }>(
    `INSERT INTO tokens (user_id, name, key_hash, key_sealed, key_prefix)
     SELECT $1, name, sha256(name::bytea), '', '' FROM unnest($2::text[]) AS name RETURNING id`,
    [person.id, names],
  );
  return rows.map(({ id }) => id);
}
const add = (person: Person, input: string) =>
  site.graphql(person, `mutation { createBudget(input: { kind: REQUESTS, ${input} }) { budget { id } } }`);
type Listed = Array<{ name: string; usedUpBudgets: Array<{ level: string; subjectName: string }> }>;
async function usedUp(person: Person, list = 'myTokens(pageSize: 100)'): Promise<Record<string, string[]>> {
  const query = `{ ${list} { items { name usedUpBudgets { level subjectName state { used resetsAt } } } } }`;
  const { data, codes } = await site.graphql(person, query);
  expect(codes).toEqual([]);
  const { items } = Object.values(data as Record<string, { items: Listed }>)[0]!;
  return Object.fromEntries(
    items.map(({ name, usedUpBudgets }) => [
      name,
      usedUpBudgets.map(({ level, subjectName }) => `${level} ${subjectName}`),
    ]),
  );
}

it('are found for every key of a page, however many budgets there are', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `key-${index}`);
  const ids = await addTokens(owner, names);
  // Each key has two budgets, which is more than one page of budgets.
  await site.query(
    `INSERT INTO budgets (level, subject_id, kind, amount, span, created_by, by_admin)
     SELECT 'token', id, 'requests', amount, 'day', $2, false FROM unnest($1::integer[]) AS id, unnest(ARRAY[0, 5]) AS amount`,
    [ids, owner.id],
  );
  expect(await usedUp(owner)).toEqual(Object.fromEntries(names.map((name) => [name, [`TOKEN ${name}`]])));
});

it('are those that count calls now, of the key and of its user, and no limits of a minute', async () => {
  const [id] = await addTokens(other, ['dev']);
  const ofKey = `level: TOKEN, subjectId: ${id}`;
  for (const rest of [
    'amount: 3, span: DAY',
    'amount: 9, span: MINUTE',
    'amount: 0, span: FIXED, startsAt: "2099-01-01T00:00:00Z", endsAt: "2099-02-01T00:00:00Z"',
  ]) {
    expect((await add(other, `${ofKey}, ${rest}`)).codes).toEqual([]);
  }
  await add(root, `level: USER, subjectId: ${other.id}, amount: 1, span: MONTH`);
  expect(await usedUp(other)).toEqual({ dev: [] });
  await site.query(
    `INSERT INTO budget_windows (budget_id, started_at, used, held)
     SELECT id, extract(epoch FROM date_trunc(span, now() AT TIME ZONE 'UTC')), amount - 1, 1 FROM budgets WHERE span IN ('day', 'month')`,
  );
  expect(await usedUp(other)).toEqual({ dev: ['TOKEN dev', `USER ${other.username}`] });
  await site.query("UPDATE budgets SET enabled = false WHERE span = 'month'");
  await site.query("UPDATE budgets SET amount = 0 WHERE span = 'minute'");
  expect(await usedUp(other)).toEqual({ dev: ['TOKEN dev', 'TOKEN dev'] });
  expect(await usedUp(root, `tokens(filter: { userIds: [${other.id}] })`)).toEqual({ dev: ['TOKEN dev', 'TOKEN dev'] });
});
