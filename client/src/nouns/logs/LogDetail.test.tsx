import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { LogDetail } from './LogDetail.js';
import type { LogRow } from './logRow.js';

const call: LogRow = {
  id: 7,
  at: '2025-11-20T14:32:08.000Z',
  type: 'CONSUME',
  userId: 3,
  username: 'mira.chen',
  tokenId: 5,
  tokenName: 'prod-web',
  channelId: 19,
  channelName: 'Anthropic direct',
  modelName: 'claude-sonnet-4-5',
  group: 'vip',
  quota: 15_200,
  promptTokens: 18_204,
  completionTokens: 1186,
  cachedTokens: 12_742,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  reasoningTokens: 0,
  priceWhen: null,
  audio: null,
  durationMs: 21_000,
  error: null,
  timeToFirstTokenMs: 1800,
  isStream: true,
  content: 'model ratio 1.50',
  requestId: '0198a3f2-77c1',
  price: {
    modelPrice: null,
    modelRatio: 1.5,
    completionRatio: 5,
    cacheRatio: 0.1,
    cacheWriteRatio: 1.25,
    audioRatio: null,
    audioCompletionRatio: null,
    groupRatio: 0.8,
    card: null,
    cardAsOf: null,
    lines: null,
    carriedBefore: null,
    carriedAfter: null,
  },
  upstreamModel: 'claude-sonnet-4-5-20250929',
  path: '/v1/chat/completions',
  ip: '203.0.113.7',
  reasoningEffort: null,
  askedModel: null,
  askedGroup: null,
  affinity: null,
  plan: null,
  planOverflow: null,
  isUsageEstimated: false,
  hasClientDisconnected: false,
  streamError: null,
  conversation: null,
  attemptIds: [12, 19],
};
const quotaChange: LogRow = {
  ...call,
  id: 6,
  type: 'MANAGE',
  modelName: null,
  channelId: null,
  channelName: null,
  quota: 0,
  price: null,
  attemptIds: [],
  content: 'Quota set to $50.00 by root',
};

const onOpen = jest.fn();
beforeEach(() => {
  onOpen.mockClear();
});
const show = (opened: string, isAdmin = true) =>
  renderScreen({
    routes: [
      {
        path: '/',
        element: <LogDetail rows={[call, quotaChange]} opened={opened} onOpen={onOpen} isAdmin={isAdmin} />,
      },
    ],
  });

it('shows the bill line by line', async () => {
  await show('7');
  const bill = within(screen.getByRole('table', { name: 'Bill' }));
  expect(bill.getByRole('row', { name: 'Input 5,462 tok $3.00 / 1M $0.016386' })).toBeInTheDocument();
  expect(bill.getByRole('row', { name: 'Cache read 12,742 tok $0.30 / 1M $0.003823' })).toBeInTheDocument();
  expect(bill.getByRole('row', { name: 'Output 1,186 tok $15.00 / 1M $0.017790' })).toBeInTheDocument();
  expect(bill.getByRole('row', { name: 'Subtotal $0.037999' })).toBeInTheDocument();
  expect(bill.getByRole('row', { name: 'Group ratio vip × 0.8' })).toBeInTheDocument();
  expect(bill.getByRole('row', { name: 'Charged $0.030400' })).toBeInTheDocument();
  expect(screen.getByText('15,200 quota')).toBeInTheDocument();
});

it('tells the way of the request', async () => {
  await show('7');
  expect(screen.getByText('12 → 19')).toBeInTheDocument();
  expect(screen.getByText('Anthropic direct')).toBeInTheDocument();
  expect(screen.getByText('claude-sonnet-4-5-20250929')).toBeInTheDocument();
  expect(screen.getByText('21 s')).toBeInTheDocument();
  expect(screen.getByText('1.8 s')).toBeInTheDocument();
  expect(screen.getByText('203.0.113.7')).toBeInTheDocument();
});

it.each([
  [{ hours: 'off_peak' }, 'Off-peak'],
  [{ tier: 'scale' }, 'scale'],
  [{ resolution: '1080p' }, '1080p'],
])('names the condition %j', async (condition, name) => {
  const none = { tier: null, region: null, searchSize: null, hours: null, resolution: null };
  const priceWhen = { ...none, ...condition };
  await renderScreen({
    routes: [{ path: '/', element: <LogDetail rows={[{ ...call, priceWhen }]} opened="7" onOpen={onOpen} isAdmin /> }],
  });
  expect(screen.getByText('Price condition').parentElement).toHaveTextContent(`Price condition${name}`);
});

it('keeps the retry path from those who are not admins', async () => {
  await show('7', false);
  expect(screen.queryByText('12 → 19')).toBeNull();
});

it('has no bill for a row that is no call', async () => {
  await show('6');
  expect(screen.queryByRole('table')).toBeNull();
  expect(screen.getByText('Quota set to $50.00 by root')).toBeInTheDocument();
});

it('goes to the neighbours by arrow keys, and not beyond the page', async () => {
  await show('7');
  fireEvent.keyDown(window, { key: 'ArrowUp' });
  expect(onOpen).not.toHaveBeenCalled();
  fireEvent.keyDown(window, { key: 'ArrowDown' });
  await waitFor(() => {
    expect(onOpen).toHaveBeenCalledWith('6');
  });
});

it('shows the cost of a call by its lines, and what is left', async () => {
  const cost: NonNullable<LogRow['cost']> = {
    usd: 0.05,
    marginUsd: -0.0196,
    basis: 'LIST',
    card: 'claude-sonnet-4-5',
    factor: 0.5,
    lines: [{ quantity: 'input', count: 20_000, price: 5, isPerMillion: true, usd: 0.1 }],
  };
  await renderScreen({
    routes: [{ path: '/', element: <LogDetail rows={[{ ...call, cost }]} opened="7" onOpen={onOpen} isAdmin /> }],
  });
  expect(await screen.findByText('Cost to you', { selector: 'h3' })).toBeInTheDocument();
  expect(screen.getByText('List price')).toBeInTheDocument();
  expect(screen.getByText('20,000 × $5.00 / 1M = $0.100000')).toBeInTheDocument();
  expect(screen.getByText('× 0.5')).toBeInTheDocument();
  expect(screen.getByText('-$0.019600')).toBeInTheDocument();
});
