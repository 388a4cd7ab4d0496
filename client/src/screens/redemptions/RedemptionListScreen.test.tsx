import { fireEvent, screen, within } from '@testing-library/react';
import { answers, failsOnce, headers, rowOf, toneOf } from '../../testing/lists.js';
import { onPhone } from '../../testing/onPhone.js';
import { chooseOfPage } from '../../testing/filters.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import type { RedemptionListRow } from './redemptionColumns.js';
import { RedemptionBulkActions } from './RedemptionBulkActions.js';
import { RedemptionListScreen } from './RedemptionListScreen.js';
import {
  DeleteDisabledRedemptionsDocument,
  DeleteMatchingRedemptionsDocument,
  DeleteRedemptionDocument,
  DisableMatchingRedemptionsDocument,
  DisableRedemptionsDocument,
  PlansOfCodesDocument,
  RedemptionsDocument,
} from './redemptions.generated.js';

const code = (id: number, batch: string, more: Partial<RedemptionListRow> = {}) => ({
  __typename: 'Redemption',
  id,
  batch,
  key: `0123456789abcdef0123456789abcd${String(id).padStart(2, '0')}`,
  quota: 100_000,
  status: 'UNUSED' as const,
  kind: 'ONCE' as const,
  planId: null,
  maxUses: 1,
  usedCount: 0,
  uses: { __typename: 'RedemptionUsePage' as const, items: [] },
  redeemedBy: null,
  createdAt: '2025-06-02T10:11:00.000Z',
  validUntil: null,
  ...more,
});
const list = (...items: readonly RedemptionListRow[]) => ({
  redemptions: { __typename: 'RedemptionPage', totalCount: items.length, items },
});
const open = (path: string, ...mocks: readonly object[]) =>
  renderScreen({
    path,
    routes: [{ path: '/redemption', element: <RedemptionListScreen /> }],
    mocks: [...mocks, answers(PlansOfCodesDocument, { plans: [] })] as never,
  });

afterEach(() => jest.restoreAllMocks());

it('has the columns that were asked for, and tells how a code stands in words and tones', async () => {
  const codes = list(
    code(1, 'fresh'),
    code(2, 'off', { status: 'DISABLED' }),
    code(3, 'taken', {
      status: 'USED',
      usedCount: 1,
      uses: { items: [{ userId: 42 }] },
      redeemedBy: { id: 42, username: 'ada' },
    }),
    code(7, 'taken by one who is gone', { status: 'USED', usedCount: 1, uses: { items: [{ userId: 43 }] } }),
    code(4, 'shared', { kind: 'GIFT', maxUses: 50, usedCount: 12 }),
    code(5, 'endless', { kind: 'GIFT', maxUses: null, usedCount: 3 }),
    code(8, 'late', { validUntil: '2025-07-01T00:00:00.000Z' }),
    code(6, 'used up', { kind: 'GIFT', maxUses: 2, usedCount: 2 }),
  );
  signInAs();
  await open('/redemption', answers(RedemptionsDocument, codes));
  const fresh = await rowOf('fresh');
  expect(await headers()).toEqual([
    'ID',
    'Name',
    'Status',
    'Quota',
    'Gift (used / max)',
    'Created',
    'Valid until',
    'Used by',
  ]);
  fresh.getByText('$0.20');
  expect(toneOf(fresh.getByText('Unused'))).toBe('green');
  expect(fresh.getByRole('switch', { name: 'Enable code fresh' })).toBeChecked();
  expect(toneOf((await rowOf('off')).getByText('Disabled'))).toBe('grey');
  expect(toneOf((await rowOf('late')).getByText('Expired'))).toBe('amber');
  const taken = await rowOf('taken');
  expect(toneOf(taken.getByText('Used'))).toBe('outline');
  expect(taken.getByRole('link', { name: 'ada' })).toHaveAttribute('href', '/user/42');
  (await rowOf('taken by one who is gone')).getByRole('link', { name: '#43' });
  expect(taken.getByRole('switch')).toBeDisabled();
  (await rowOf('shared')).getByText('12 / 50');
  (await rowOf('endless')).getByText('3 / ∞');
  // Disabled codes, and codes without uses left, are dimmed.
  const dimmed = [...document.querySelectorAll('[role=row].row-dimmed [data-field=batch]')].map(
    (cell) => cell.textContent,
  );
  expect(dimmed).toEqual(['off', 'used up']);
});

it('says on the cards of a phone who used a code, and how often a gift was used', async () => {
  onPhone();
  const used = { status: 'USED' as const, usedCount: 1, uses: { items: [{ userId: 42 }] } };
  const codes = list(
    code(1, 'fresh'),
    code(2, 'taken', { ...used, redeemedBy: { id: 42, username: 'ada' } }),
    code(3, 'shared', { kind: 'GIFT', maxUses: 50, usedCount: 12, uses: { items: [{ userId: 42 }] } }),
  );
  signInAs();
  await open('/redemption', answers(RedemptionsDocument, codes));
  const cardOf = async (name: string) => within((await screen.findByText(name)).closest('li') as HTMLElement);
  const taken = await cardOf('taken');
  expect(taken.getByRole('link', { name: 'ada' })).toHaveAttribute('href', '/user/42');
  const shared = await cardOf('shared');
  shared.getByText('12 / 50');
  for (const card of [shared, await cardOf('fresh')]) expect(card.queryByRole('link')).toBeNull();
});

it('opens the code of a shared link on whatever page of the list it is', async () => {
  const read = {
    request: { query: RedemptionsDocument, variables: () => true },
    maxUsageCount: 9,
    result: ({ filter }: { filter: { ids?: number[] } }) => ({
      data: list(filter.ids ? code(9, 'far away') : code(1, 'near')),
    }),
  };
  signInAs();
  await open('/redemption?row=9', read);
  const editor = within(await screen.findByRole('dialog'));
  expect(await editor.findByDisplayValue('far away')).toBeInTheDocument();
});

it('disables chosen codes together, after a question, and lets go of them', async () => {
  const disable = {
    request: { query: DisableRedemptionsDocument, variables: { ids: [1, 2] } },
    result: jest.fn(() => ({ data: { disableRedemptions: { __typename: 'BulkPayload', done: [1, 2], failed: [] } } })),
  };
  await open(
    '/redemption',
    answers(RedemptionsDocument, list(code(1, 'one'), code(2, 'two'), code(3, 'three'))),
    disable,
  );
  for (const name of ['one', 'two']) fireEvent.click((await rowOf(name)).getByRole('checkbox'));
  await screen.findByText('2 selected');
  expect(screen.queryByRole('search')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Disable' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Disable 2 codes?' }));
  expect(disable.result).not.toHaveBeenCalled();
  fireEvent.click(question.getByRole('button', { name: 'Disable' }));
  await screen.findByText('2 codes disabled');
  await screen.findByRole('search');
  expect(disable.result).toHaveBeenCalledTimes(1);
});

it('disables and deletes all codes that match the filters, also those of other pages, with their number', async () => {
  const filter = { keyword: 'spring', statuses: ['UNUSED'] };
  const disable = {
    request: { query: DisableMatchingRedemptionsDocument, variables: { filter } },
    result: jest.fn(() => ({ data: { disableMatchingRedemptions: { __typename: 'CountPayload', count: 4213 } } })),
  };
  const remove = {
    request: { query: DeleteMatchingRedemptionsDocument, variables: { filter } },
    result: jest.fn(() => ({ data: { deleteMatchingRedemptions: { __typename: 'CountPayload', count: 4213 } } })),
  };
  const many = { redemptions: { ...list(code(1, 'one'), code(2, 'two')).redemptions, totalCount: 4213 } };
  await open('/redemption?keyword=spring&status=UNUSED', answers(RedemptionsDocument, many), disable, remove);
  const act = async (verb: string, question: string) => {
    fireEvent.click((await rowOf('one')).getByRole('checkbox'));
    fireEvent.click(await screen.findByRole('button', { name: 'Select all 4213 that match' }));
    await screen.findByText('4213 selected');
    fireEvent.click(screen.getByRole('button', { name: verb }));
    const asked = within(await screen.findByRole('alertdialog', { name: question }));
    fireEvent.click(asked.getByRole('button', { name: verb }));
  };
  await act('Disable', 'Disable 4213 codes?');
  await screen.findByText('4213 codes disabled');
  await screen.findByRole('search');
  await act('Delete', 'Delete 4213 codes?');
  await screen.findByText('4213 codes deleted');
  expect([disable.result.mock.calls.length, remove.result.mock.calls.length]).toEqual([1, 1]);
});

it('names why a code was not disabled, and keeps it selected', async () => {
  const failed = [{ id: 2, code: 'CONFLICT', message: 'Code 2 is not unused' }];
  const disable = {
    request: { query: DisableRedemptionsDocument, variables: { ids: [1, 2] } },
    result: { data: { disableRedemptions: { __typename: 'BulkPayload', done: [1], failed } } },
  };
  await open('/redemption', answers(RedemptionsDocument, list(code(1, 'one'), code(2, 'two'))), disable);
  for (const name of ['one', 'two']) fireEvent.click((await rowOf(name)).getByRole('checkbox'));
  fireEvent.click(await screen.findByRole('button', { name: 'Disable' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Disable 2 codes?' }));
  fireEvent.click(question.getByRole('button', { name: 'Disable' }));
  await screen.findByText('1 disabled, 1 not. Code 2: Code 2 is not unused');
  await screen.findByText('1 selected');
  expect(await (await rowOf('two')).findByRole('checkbox')).toBeChecked();
});

it('disables codes that are selected on several pages a hundred at a time, and lets nothing else happen to them', async () => {
  const ids = Array.from({ length: 150 }, (_, index) => index + 1);
  const disable = {
    request: { query: DisableRedemptionsDocument, variables: () => true },
    maxUsageCount: 2,
    delay: 50,
    result: jest.fn(({ ids: done }: { ids: number[] }) => ({
      data: { disableRedemptions: { __typename: 'BulkPayload', done, failed: [] } },
    })),
  };
  const onDone = jest.fn();
  const element = <RedemptionBulkActions ids={ids} matching={null} count={150} onDone={onDone} />;
  await renderScreen({ routes: [{ path: '/', element }], mocks: [disable] as never });
  fireEvent.click(screen.getByRole('button', { name: 'Disable' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Disable 150 codes?' }));
  fireEvent.click(question.getByRole('button', { name: 'Disable' }));
  await screen.findByText('100 of 150');
  expect(screen.getByRole('button', { name: 'Delete', hidden: true })).toBeDisabled();
  await screen.findByText('150 codes disabled');
  expect(disable.result.mock.calls.map(([{ ids: part }]) => part.length)).toEqual([100, 50]);
  expect(onDone).toHaveBeenCalledWith([]);
});

it('no longer counts a code as selected that was deleted from its menu', async () => {
  const remove = {
    request: { query: DeleteRedemptionDocument, variables: { id: 1 } },
    result: { data: { deleteRedemption: { __typename: 'DeletePayload', id: 1 } } },
  };
  await open('/redemption', answers(RedemptionsDocument, list(code(1, 'one'), code(2, 'two'))), remove);
  for (const name of ['one', 'two']) fireEvent.click((await rowOf(name)).getByRole('checkbox'));
  fireEvent.click(screen.getByRole('button', { name: 'More actions for code one' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Delete code “one”?' }));
  fireEvent.click(question.getByRole('button', { name: 'Delete' }));
  await screen.findByText('1 selected');
});

it('selects nothing after the disabled codes were deleted, which may be among the selected', async () => {
  const remove = {
    request: { query: DeleteDisabledRedemptionsDocument },
    result: { data: { deleteDisabledRedemptions: { __typename: 'CountPayload', count: 1 } } },
  };
  await open('/redemption', answers(RedemptionsDocument, list(code(1, 'one'), code(2, 'two'))), remove);
  fireEvent.click((await rowOf('one')).getByRole('checkbox'));
  await chooseOfPage('Delete disabled');
  const question = within(await screen.findByRole('alertdialog', { name: 'Delete all disabled codes?' }));
  fireEvent.click(question.getByRole('button', { name: 'Delete' }));
  await screen.findByText('1 code deleted');
  await screen.findByRole('search');
});

it('lets go of the chosen ones without doing anything', async () => {
  await open('/redemption', answers(RedemptionsDocument, list(code(1, 'one'))));
  fireEvent.click((await rowOf('one')).getByRole('checkbox'));
  await screen.findByText('1 selected');
  fireEvent.click(screen.getByRole('button', { name: 'Clear' }));
  await screen.findByRole('search');
  expect((await rowOf('one')).getByRole('checkbox')).not.toBeChecked();
});

it('begins with what codes are for, and with the one button', async () => {
  await open('/redemption', answers(RedemptionsDocument, list()));
  await screen.findByRole('heading', { name: 'No codes yet' });
  screen.getByText('Users redeem codes to add quota to their balance.');
  expect(screen.getAllByRole('button', { name: 'Create codes' })).toHaveLength(1);
  expect(screen.queryByRole('search')).toBeNull();
});

it('says in place what failed, and tries again', async () => {
  await open('/redemption', ...failsOnce(RedemptionsDocument, 'The database is away', list(code(1, 'one'))));
  expect(await screen.findByRole('alert')).toHaveTextContent('The database is away');
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await rowOf('one');
});
