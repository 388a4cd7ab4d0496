import { fireEvent, screen, waitFor } from '@testing-library/react';
import { siteStatus } from '../../lib/status.js';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { RedemptionEditor } from './RedemptionEditor.js';
import {
  CreateRedemptionsDocument,
  PlansOfCodesDocument,
  UpdateRedemptionDocument,
  type RedemptionRowFragment,
} from './redemptions.generated.js';

const code: RedemptionRowFragment & { readonly __typename: 'Redemption' } = {
  __typename: 'Redemption',
  id: 4,
  batch: 'Launch',
  key: '0123',
  quota: 100_000,
  status: 'UNUSED',
  kind: 'ONCE',
  planId: null,
  maxUses: 1,
  usedCount: 0,
  uses: { items: [] },
  createdAt: '2025-06-02T10:11:00.000Z',
  validUntil: null,
};
const onClosed = jest.fn();
const { quotaPerUnit } = siteStatus.get();
beforeEach(() => jest.clearAllMocks());
afterEach(() => siteStatus.set({ ...siteStatus.get(), quotaPerUnit }));

const open = async (row: RedemptionRowFragment | null, ...mocks: object[]) => {
  const element = <RedemptionEditor row={row} onSaved={jest.fn()} onCreated={jest.fn()} onClosed={onClosed} />;
  await renderScreen({
    routes: [{ path: '/', element }],
    mocks: [...mocks, answers(PlansOfCodesDocument, { plans: [] })] as never,
  });
};
const type = (name: RegExp, value: string) =>
  fireEvent.change(screen.getByRole('textbox', { name }), { target: { value } });
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

it('renames a code whose amount has more decimals than can be typed', async () => {
  siteStatus.set({ ...siteStatus.get(), quotaPerUnit: 700_000 });
  const update = {
    request: { query: UpdateRedemptionDocument, variables: { input: { id: 4, batch: 'Lunch' } } },
    result: jest.fn(() => ({ data: { updateRedemption: { redemption: { ...code, batch: 'Lunch' } } } })),
  };
  await open(code, update);
  expect(screen.getByRole('textbox', { name: /^Amount/ })).toHaveValue('0.142857');
  type(/^Name/, 'Lunch');
  press('Save code');
  await waitFor(() => expect(onClosed).toHaveBeenCalled());
  expect(update.result).toHaveBeenCalledTimes(1);
});

it('takes no zero for the uses of a gift code, which would be unlimited', async () => {
  const create = {
    request: { query: CreateRedemptionsDocument, variables: () => true },
    result: jest.fn(() => ({ data: { createRedemptions: { redemptions: [] } } })),
  };
  await open(null, create);
  fireEvent.click(screen.getByRole('switch'));
  await screen.findByRole('textbox', { name: /^Max uses/ });
  type(/^Max uses/, '0');
  press('Create codes');
  await waitFor(() => expect(screen.getByRole('alert')).toHaveTextContent('Use -1 for unlimited.'));
  expect(create.result).not.toHaveBeenCalled();
});

it('creates up to 10,000 codes with an end', async () => {
  const asked: unknown[] = [];
  const create = {
    request: {
      query: CreateRedemptionsDocument,
      variables: ({ input }: { input: object }) => asked.push(input) > 0,
    },
    result: { data: { createRedemptions: { redemptions: [] } } },
  };
  await open(null, create);
  type(/^Quantity/, '10001');
  fireEvent.change(screen.getByLabelText(/^Valid until/), { target: { value: '2100-01-01T00:00' } });
  press('Create codes');
  await waitFor(() => expect(screen.getByRole('alert')).toHaveTextContent('Enter a whole number from 1 to 10,000'));
  expect(asked).toEqual([]);
  type(/^Quantity/, '10000');
  press('Create codes');
  await waitFor(() => expect(onClosed).toHaveBeenCalled());
  expect(asked).toEqual([
    expect.objectContaining({ count: 10_000, validUntil: new Date('2100-01-01T00:00').toISOString() }),
  ]);
});

it('keeps its idempotency key for a retry, and takes another one for other codes', async () => {
  const keys: unknown[] = [];
  const lost = {
    request: {
      query: CreateRedemptionsDocument,
      variables: ({ input }: { input: { idempotencyKey: unknown } }) => keys.push(input.idempotencyKey) > 0,
    },
    error: new Error('lost'),
    maxUsageCount: 3,
  };
  await open(null, lost);
  const attempt = async (count: number) => {
    await waitFor(() => expect(screen.getByRole('button', { name: 'Create codes' })).toBeEnabled());
    press('Create codes');
    await waitFor(() => expect(keys).toHaveLength(count));
  };
  await attempt(1);
  await attempt(2);
  type(/^Amount/, '5');
  await attempt(3);
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
});

it('says in the unit of the field that a code needs an amount', async () => {
  const create = {
    request: { query: CreateRedemptionsDocument, variables: () => true },
    result: jest.fn(() => ({ data: { createRedemptions: { redemptions: [] } } })),
  };
  await open(null, create);
  type(/^Amount/, '0');
  press('Create codes');
  await waitFor(() => expect(screen.getByRole('alert')).toHaveTextContent('Must be 0.000002 or more'));
  expect(create.result).not.toHaveBeenCalled();
});

it('says why a name takes no more characters', async () => {
  await open(null);
  const name = screen.getByRole('textbox', { name: 'Name' });
  type(/^Name/, 'a'.repeat(15));
  expect(screen.queryByText('15 of 20')).toBeNull();
  type(/^Name/, 'a'.repeat(16));
  screen.getByText('16 of 20');
  type(/^Name/, 'a'.repeat(20));
  screen.getByText('20 of 20');
  expect(name).toHaveAccessibleDescription('At most 20 characters');
});
