import { saveDraft, SettingsDraft, type SavedSetting } from './settingsDraft.js';

const saved = (key: string, value: string): SavedSetting => ({
  key,
  value,
  isSet: false,
  isSecret: false,
  isWritable: true,
});

function draftWith(...settings: SavedSetting[]): SettingsDraft {
  const draft = new SettingsDraft();
  draft.load(settings);
  return draft;
}

it('knows what differs, and that a value changed back does not', () => {
  const draft = draftWith(saved('RetryTimes', '0'));
  draft.edit('RetryTimes', '3');
  expect([...draft.state().edits]).toEqual([['RetryTimes', '3']]);
  draft.edit('RetryTimes', '0');
  expect(draft.state().edits.size).toBe(0);
});

it('saves switches first, and asks once more for one that needed what came after it', async () => {
  const draft = draftWith(saved('GitHubOAuthEnabled', 'false'), saved('GitHubClientId', ''));
  draft.edit('GitHubClientId', 'id-1');
  draft.edit('GitHubOAuthEnabled', 'true');
  const sent: string[] = [];
  const failed = await saveDraft(
    draft,
    async (key, value) => {
      sent.push(key);
      if (key === 'GitHubOAuthEnabled' && !sent.includes('GitHubClientId')) throw new Error('client id first');
      return saved(key, value);
    },
    String,
  );
  expect(sent).toEqual(['GitHubOAuthEnabled', 'GitHubClientId', 'GitHubOAuthEnabled']);
  expect(failed).toEqual([]);
  expect(draft.state().edits.size).toBe(0);
  expect(draft.state().refused.size).toBe(0);
});

it('keeps what was refused, with the reason, until it is changed', async () => {
  const draft = draftWith(saved('RetryTimes', '0'), saved('Price', '7.3'));
  draft.edit('RetryTimes', '3');
  draft.edit('Price', '8');
  const failed = await saveDraft(
    draft,
    async (key, value) => {
      if (key === 'Price') throw new Error('not now');
      return saved(key, value);
    },
    (error) => (error as Error).message,
  );
  expect(failed).toEqual(['Price']);
  expect([...draft.state().edits]).toEqual([['Price', '8']]);
  expect(draft.state().refused.get('Price')).toBe('not now');
  draft.edit('Price', '9');
  expect(draft.state().refused.size).toBe(0);
});

const table = (entries: Readonly<Record<string, number>>): string => JSON.stringify(entries, null, 2);

it('keeps the entries of a table that another admin saved meanwhile', () => {
  const draft = draftWith(saved('ModelRatio', table({ a: 1, b: 1, c: 1, d: 1 })));
  draft.edit('ModelRatio', table({ a: 5, b: 1, c: 1, e: 5 }));
  expect(draft.load([saved('ModelRatio', table({ a: 1, b: 2, d: 1, f: 2 }))])).toEqual([]);
  expect(draft.value('ModelRatio')).toBe(table({ a: 5, b: 2, f: 2, e: 5 }));
});

it.each([
  ['the same entry of a table', table({ a: 1 }), table({ a: 2 }), table({ a: 3 })],
  ['an entry that the other removed', table({ a: 1 }), table({ a: 2 }), table({})],
  ['a plain value', '1', '2', '3'],
  ['a list', '[1]', '[2]', '[3]'],
])('reports when both admins changed %s', (_, base, mine, theirs) => {
  const draft = draftWith(saved('ModelRatio', base));
  draft.edit('ModelRatio', mine);
  expect(draft.load([saved('ModelRatio', theirs)])).toEqual(['ModelRatio']);
  expect(draft.value('ModelRatio')).toBe(mine);
  // From here on, the edit is based on the value that the other user saved.
  expect(draft.load([saved('ModelRatio', theirs)])).toEqual([]);
});

it('drops an edit that another admin saved too', () => {
  const draft = draftWith(saved('ModelRatio', table({ a: 1 })));
  draft.edit('ModelRatio', table({ a: 2 }));
  expect(draft.load([saved('ModelRatio', table({ a: 2 }))])).toEqual([]);
  expect(draft.state().edits.size).toBe(0);
});
