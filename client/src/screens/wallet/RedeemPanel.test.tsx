import { fireEvent, screen, waitFor } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { RedeemPanel } from './RedeemPanel.js';
import { RedeemDocument } from './wallet.generated.js';

const onRedeemed = jest.fn();
beforeEach(() => {
  jest.clearAllMocks();
  keys.length = 0;
});

const keys: unknown[] = [];

async function open(link: string | undefined, ...results: object[]) {
  const variables = (given: { key?: string; idempotencyKey?: unknown }) => {
    keys.push(given.idempotencyKey);
    return given.key === 'abc';
  };
  const mocks = results.map((result) => ({ request: { query: RedeemDocument, variables }, result }));
  const element = <RedeemPanel link={link} onRedeemed={onRedeemed} />;
  await renderScreen({ routes: [{ path: '/', element }], mocks: mocks as never });
  return screen.findByRole('textbox', { name: 'Redemption code' });
}

it('refuses an empty code', async () => {
  const code = await open('');
  fireEvent.change(code, { target: { value: '   ' } });
  fireEvent.click(screen.getByRole('button', { name: 'Redeem' }));
  await screen.findByText('Please enter a redemption code');
  expect(onRedeemed).not.toHaveBeenCalled();
});

it('keeps a refused code with the reason, and clears one that was taken', async () => {
  const taken = { data: { redeem: { __typename: 'Redeemed', quota: 2_500_000 } } };
  const code = await open('', { data: { redeem: { __typename: 'RedeemRefused', code: 'USED' } } }, taken);
  fireEvent.change(code, { target: { value: ' abc ' } });
  fireEvent.click(screen.getByRole('button', { name: 'Redeem' }));
  await screen.findByText('Code already used');
  expect(code).toHaveValue(' abc ');
  fireEvent.click(screen.getByRole('button', { name: 'Redeem' }));
  await screen.findByText('$5.00 added to your balance');
  await waitFor(() => {
    expect(code).toHaveValue('');
  });
  expect(onRedeemed).toHaveBeenCalledTimes(1);
  // The retry had the key of the first attempt.
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
});

it.each([
  ['https://shop.example.com', 'Buy one in the shop'],
  ['javascript:alert(1)', 'The super admin has not set a top-up link'],
  ['', 'The super admin has not set a top-up link'],
])('with the link %j says “%s”', async (link, text) => {
  await open(link);
  expect(screen.getByText(text)).toBeInTheDocument();
});
