import { act, screen } from '@testing-library/react';
import { changeLanguage } from '../../i18n/i18n.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { AlertItem } from './AlertItem.js';
import type { AlertRowFragment } from './alerts.generated.js';

const below: AlertRowFragment = {
  id: 4,
  kind: 'SALE_BELOW_COST',
  channelId: null,
  channelName: null,
  reason: null,
  balance: null,
  threshold: null,
  calls: null,
  failedCalls: null,
  models: ['gpt-4.1 (40)', 'org/nova'],
  endpoints: null,
  count: 2,
  openedAt: '2026-11-20T14:05:00.000Z',
  endedAt: null,
  failedMessages: [],
};
const show = () => renderScreen({ routes: [{ path: '/', element: <AlertItem alert={below} /> }] });

it('leads from each model that is sold below cost to its price', async () => {
  signInAs('ALERTS', 'PRICES');
  await show();
  const links = screen.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')]);
  expect(links).toEqual([
    ['Model prices', '/setting?tab=operation&section=prices'],
    ['gpt-4.1 (40)', '/model/gpt-4.1/price'],
    ['org/nova', '/model/org%2Fnova/price'],
  ]);
  screen.getByText(/^2 models:/);
});

it('names the models to users who may not set prices', async () => {
  signInAs('ALERTS');
  const { container } = await show();
  expect(container).toHaveTextContent('2 models: gpt-4.1 (40), org/nova');
  expect(screen.queryByRole('link')).toBeNull();
});

it('writes amounts as the language does', async () => {
  signInAs('ALERTS');
  const alert: AlertRowFragment = { ...below, kind: 'CHANNEL_BALANCE_LOW', channelId: 3, balance: 3.18, threshold: 5 };
  const { container } = await renderScreen({ routes: [{ path: '/', element: <AlertItem alert={alert} /> }] });
  expect(container).toHaveTextContent('$3.18 left, below $5.00');
  await act(() => changeLanguage('fr', false));
  expect(container.textContent).toContain('3,18\u00a0$');
});
