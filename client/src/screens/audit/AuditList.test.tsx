import { fireEvent, screen, within } from '@testing-library/react';
import { answers, headers, rowOf } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import {
  AuditEntriesDocument,
  RestoredOptionDocument,
  RestoreOptionDocument,
} from '../../nouns/audit/audit.generated.js';
import { AuditList } from './AuditList.js';

jest.setTimeout(60_000);

const before = JSON.stringify({ 'gpt-4o': 1.25, 'o3-mini': 0.55 });
const after = JSON.stringify({ 'gpt-4o': 1.5, 'o3-mini': 0.55, 'new-model': 2 });
const entry = (id: string, more: object = {}) => ({
  __typename: 'AuditEntry',
  id,
  createdAt: '2026-11-20T14:05:00.000Z',
  actorId: 7,
  actorName: 'bob',
  ip: '203.0.113.7',
  action: 'update',
  subject: 'OPTION',
  subjectId: 'ModelRatio',
  subjectName: null,
  changes: [{ __typename: 'AuditFieldChange', field: 'value', before, after }],
  ...more,
});
const page = (...items: readonly object[]) => ({
  auditEntries: { __typename: 'AuditEntryPage', totalCount: items.length, items },
});

beforeEach(() => signInAs());

it('names who changed which price, before and after, without the prices that stayed', async () => {
  await renderScreen({
    path: '/audit',
    routes: [{ path: '/audit', element: <AuditList prices={false} /> }],
    mocks: [answers(AuditEntriesDocument, page(entry('9')))] as never,
  });
  const row = await rowOf('bob');
  expect(await headers()).toEqual(['Time', 'Changed by', 'Action', 'Object', 'Changes']);
  row.getByText('gpt-4o: $2.50 / 1M → $3.00 / 1M +1');
  fireEvent.click(row.getByText('gpt-4o: $2.50 / 1M → $3.00 / 1M +1'));
  const panel = within(await screen.findByRole('dialog', { name: 'Setting ModelRatio' }));
  panel.getByText('bob (#7)');
  panel.getByText('203.0.113.7');
  const changed = within(panel.getByRole('region', { name: 'gpt-4o' }));
  changed.getByText('$2.50 / 1M');
  changed.getByText('$3.00 / 1M');
  within(panel.getByRole('region', { name: 'new-model' })).getByText('none');
  expect(panel.queryByText('o3-mini')).toBeNull();
});

it('asks for prices only, and for one model, on the price history, and restores the rows of one change', async () => {
  const asked: unknown[] = [];
  const list = {
    request: {
      query: AuditEntriesDocument,
      variables: ({ filter }: { filter: unknown }) => {
        asked.push(filter);
        return true;
      },
    },
    result: { data: page(entry('9')) },
    maxUsageCount: 9,
  };
  const restored = jest.fn(() => ({
    data: { setOption: { __typename: 'SetOptionPayload', option: { __typename: 'Option', key: 'ModelRatio' } } },
  }));
  const option = { __typename: 'Option', key: 'ModelRatio', value: JSON.stringify({ ...JSON.parse(after), later: 3 }) };
  const current = {
    request: { query: RestoredOptionDocument, variables: { key: 'ModelRatio' } },
    result: { data: { options: { __typename: 'OptionPage', items: [option] } } },
  };
  const value = JSON.stringify({ ...JSON.parse(before), later: 3 });
  const restore = {
    request: { query: RestoreOptionDocument, variables: { input: { key: 'ModelRatio', value } } },
    result: restored,
  };
  await renderScreen({
    path: '/price-history?entry=gpt-4o',
    routes: [{ path: '/price-history', element: <AuditList prices /> }],
    mocks: [list, current, restore] as never,
  });
  const row = await rowOf('bob');
  expect(asked.at(-1)).toEqual({
    entry: 'gpt-4o',
    subjects: ['OPTION'],
    subjectIds: [
      ...['ModelPrice', 'ModelRatio', 'CacheRatio', 'CompletionRatio', 'PriceCards'],
      ...['QuotaPerUnit', 'GroupRatio', 'UserUsableGroups', 'ToolPrices', 'UnpricedTools'],
    ],
  });
  fireEvent.click(row.getByText(/gpt-4o/));
  fireEvent.click(await screen.findByRole('button', { name: 'Restore previous value' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Restore ModelRatio?' }));
  expect(restored).not.toHaveBeenCalled();
  fireEvent.click(question.getByRole('button', { name: 'Restore previous value' }));
  await screen.findByText('ModelRatio restored');
});

it('shows other values in words, and offers no way back for them', async () => {
  const change = (field: string, before: string | null, after: string | null) => ({
    __typename: 'AuditFieldChange',
    field,
    before,
    after,
  });
  const changes = [
    change('deletedAt', null, '2026-11-20T14:05:00.000Z'),
    change('quota', '500000', '1250000'),
    change('role', 'common', 'admin'),
    change('status', 'enabled', 'banned'),
  ];
  await renderScreen({
    path: '/audit?row=3',
    routes: [{ path: '/audit', element: <AuditList prices={false} /> }],
    mocks: [answers(AuditEntriesDocument, page(entry('3', { subject: 'USER', subjectId: '12', changes })))] as never,
  });
  const panel = within(await screen.findByRole('dialog', { name: 'User 12' }));
  const textOf = (name: string) => panel.getByRole('region', { name }).textContent;
  expect(textOf('Status')).toBe('StatusBefore: Activated → , After: Banned');
  expect(textOf('Role')).toBe('RoleBefore: Common → , After: Admin');
  expect(textOf('Quota')).toBe('QuotaBefore: $1.00 → , After: $2.50');
  expect(textOf('Deleted')).toMatch(/^DeletedBefore: none → , After: 2026-11-\d\d \d\d:05:00$/);
  // The list, behind the panel.
  screen.getByText(/^Deleted: – → 2026-11-\d\d \d\d:05:00 \+3$/);
  expect(panel.queryByRole('button', { name: 'Restore previous value' })).toBeNull();
});

it('finds the entry of a shared link by its second when it has left the page', async () => {
  const asked: unknown[] = [];
  const list = (items: readonly object[], wanted: boolean) => ({
    request: {
      query: AuditEntriesDocument,
      variables: ({ filter }: { filter: { created?: { until?: string } } }) =>
        (filter.created?.until !== undefined) === wanted && Boolean(asked.push(filter)),
    },
    result: { data: page(...items) },
    maxUsageCount: 9,
  });
  const at = Date.parse('2026-11-20T14:05:00Z') / 1000;
  await renderScreen({
    path: `/audit?row=9&rowAt=${String(at)}`,
    routes: [{ path: '/audit', element: <AuditList prices={false} /> }],
    mocks: [list([entry('300')], false), list([entry('10'), entry('9', { actorName: 'carol' })], true)] as never,
  });
  const panel = within(await screen.findByRole('dialog', { name: 'Setting ModelRatio' }));
  panel.getByText('carol (#7)');
  expect(asked).toContainEqual({ created: { from: '2026-11-20T14:05:00.000Z', until: '2026-11-20T14:05:01.000Z' } });
});

it.each([
  [['AUDIT'], false],
  [['AUDIT', 'PRICES'], true],
] as const)('with %j: offers to restore a price: %s', async (permissions, expected) => {
  signInAs(...permissions);
  await renderScreen({
    path: '/price-history?row=3',
    routes: [{ path: '/price-history', element: <AuditList prices /> }],
    mocks: [answers(AuditEntriesDocument, page(entry('3')))] as never,
  });
  const panel = within(await screen.findByRole('dialog', { name: 'Setting ModelRatio' }));
  expect(panel.queryByRole('button', { name: 'Restore previous value' }) !== null).toBe(expected);
});

it('names a new object first, and leaves out what was never set', async () => {
  const field = (name: string, value: string | null) => ({
    __typename: 'AuditFieldChange',
    field: name,
    before: null,
    after: value,
  });
  const changes = [field('autoDisable', 'true'), field('cost', null), field('name', 'North'), field('tag', '')];
  await renderScreen({
    path: '/audit?row=4',
    routes: [{ path: '/audit', element: <AuditList prices={false} /> }],
    mocks: [
      answers(
        AuditEntriesDocument,
        page(entry('4', { action: 'create', subject: 'CHANNEL', subjectId: '5', changes })),
      ),
    ] as never,
  });
  const panel = within(await screen.findByRole('dialog', { name: 'Channel 5' }));
  const names = panel.getAllByRole('region').map((region) => region.getAttribute('aria-label'));
  expect(names.filter((name) => name !== null)).toEqual(['Name', 'Disable automatically on failure']);
  expect(panel.getByRole('region', { name: 'Name' }).textContent).toBe('NameBefore: none → , After: North');
  screen.getByText('Name: – → North +1');
  screen.getByRole('button', { name: 'Time range All time', hidden: true });
});

it('links the changed object, its changer, and the objects that values name, but not what was deleted', async () => {
  const field = (name: string, before: string | null, after: string | null) => ({
    __typename: 'AuditFieldChange',
    field: name,
    before,
    after,
  });
  const changes = [
    field('cost', '{"factor":1}', '{"factor":1.3,"cards":{}}'),
    field('models', '["gpt-4o"]', '["gpt-4o","a/b"]'),
    field('ownerId', null, '31'),
  ];
  const ofChannel = { subject: 'CHANNEL', subjectId: '25', changes };
  const mocks = [
    answers(
      AuditEntriesDocument,
      page(
        entry('9', { ...ofChannel, subjectName: 'North' }),
        entry('8', { ...ofChannel, subjectId: '26', actorName: 'eve' }),
        entry('7', { subjectId: 'RetryTimes', actorName: 'dan', changes: [field('value', '3', '5')] }),
      ),
    ),
  ] as never;
  await renderScreen({ path: '/audit', routes: [{ path: '/audit', element: <AuditList prices={false} /> }], mocks });
  const row = await rowOf('bob');
  expect(row.getByRole('link', { name: 'Channel North (#25)' }).getAttribute('href')).toBe('/channel/25');
  expect(row.getByRole('link', { name: 'bob' }).getAttribute('href')).toBe('/user/7');
  // The factor is named, not the cards, which were and are none.
  row.getByText('Cost: factor: 1 → 1.3 +2');
  const gone = await rowOf('eve');
  gone.getByText('Channel 26');
  expect(gone.queryByRole('link', { name: 'Channel 26' })).toBeNull();
  expect((await rowOf('dan')).getByRole('link', { name: 'Setting RetryTimes' }).getAttribute('href')).toBe(
    '/setting?tab=operation&find=RetryTimes',
  );
  fireEvent.click(row.getByText('Cost: factor: 1 → 1.3 +2'));
  const panel = within(await screen.findByRole('dialog', { name: 'Channel North (#25)' }));
  const addresses = (name: string) =>
    within(panel.getByRole('region', { name }))
      .getAllByRole('link')
      .map((link) => [link.textContent, link.getAttribute('href')]);
  expect(addresses('Models')).toEqual([
    ['gpt-4o', '/model/gpt-4o'],
    ['gpt-4o', '/model/gpt-4o'],
    ['a/b', '/model/a%2Fb'],
  ]);
  expect(panel.getByRole('link', { name: '31' }).getAttribute('href')).toBe('/user/31');
});

it('links the model of a price to its page, and the owner of a budget', async () => {
  const budget = [
    { __typename: 'AuditFieldChange', field: 'level', before: null, after: 'token' },
    { __typename: 'AuditFieldChange', field: 'subjectId', before: null, after: '44' },
  ];
  await renderScreen({
    path: '/audit?row=9',
    routes: [{ path: '/audit', element: <AuditList prices={false} /> }],
    mocks: [answers(AuditEntriesDocument, page(entry('9')))] as never,
  });
  const panel = within(await screen.findByRole('dialog', { name: 'Setting ModelRatio' }));
  expect(panel.getByRole('link', { name: 'gpt-4o' }).getAttribute('href')).toBe('/model/gpt-4o');
  await renderScreen({
    path: '/audit?row=8',
    routes: [{ path: '/audit', element: <AuditList prices={false} /> }],
    mocks: [
      answers(
        AuditEntriesDocument,
        page(entry('8', { action: 'create', subject: 'BUDGET', subjectId: '3', changes: budget })),
      ),
    ] as never,
  });
  const other = within(await screen.findByRole('dialog', { name: 'Budget 3' }));
  expect(other.getByRole('link', { name: '44' }).getAttribute('href')).toBe('/token/44');
});
