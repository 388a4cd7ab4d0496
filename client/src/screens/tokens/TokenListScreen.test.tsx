import { fireEvent, screen } from '@testing-library/react';
import { answers, failsOnce, headers, rowOf, toneOf } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { tokenRow } from '../../testing/tokenRow.js';
import { TokenListScreen } from './TokenListScreen.js';
import { MyTokensDocument, TokenKeyDocument, type TokenRowFragment } from './tokens.generated.js';

const list = (...items: readonly TokenRowFragment[]) => ({
  myTokens: { __typename: 'TokenPage', totalCount: items.length, items },
});
const open = (path: string, ...mocks: readonly object[]) =>
  renderScreen({ path, routes: [{ path: '/token', element: <TokenListScreen /> }], mocks: mocks as never });

it('has the columns that were asked for, and tells how a token stands in words and tones', async () => {
  const rows = [
    tokenRow(1, 'on', { modelLimits: ['gpt-4o', 'o3-mini', 'gpt-4o-mini'], group: 'vip' }),
    tokenRow(2, 'off', { status: 'DISABLED' }),
    tokenRow(3, 'old', { status: 'EXPIRED', expiresAt: '2025-07-01T00:00:00.000Z' }),
    tokenRow(4, 'spent', { status: 'EXHAUSTED', quota: { remaining: 0, used: 1_000_000 } }),
  ];
  await open('/token', answers(MyTokensDocument, list(...rows)));
  const on = await rowOf('on');
  expect(await headers()).toEqual(['Name', 'Key', 'Status', 'Quota', 'Group', 'Models', 'Created', 'Expires']);
  screen.getByText('Tokens are for personal use only. Do not share them.');
  for (const text of ['$1.00 left', 'of $2.00', 'Never', 'sk-Jx4T…wxyz']) on.getByText(text);
  expect(toneOf(on.getByText('3 models'))).toBe('blue');
  expect(toneOf(on.getByText('vip'))).toBe('amber');
  for (const [name, word, tone, canSwitch] of [
    ['on', 'Enabled', 'green', true],
    ['off', 'Disabled', 'grey', true],
    ['old', 'Expired', 'amber', false],
    ['spent', 'Exhausted', 'red', false],
  ] as const) {
    const row = await rowOf(name);
    const toggle = row.getByRole('switch', { name: `Enable token ${name}` });
    expect([name, toneOf(row.getByText(word)), !toggle.hasAttribute('disabled')]).toEqual([name, tone, canSwitch]);
    expect(toggle.hasAttribute('checked')).toBe(name === 'on');
  }
});

it('fills a bar with what is left: amber under a fifth, red under a twentieth, none without a limit', async () => {
  const left = (id: number, name: string, remaining: number) =>
    tokenRow(id, name, { quota: { remaining, used: 1_000_000 - remaining } });
  await open(
    '/token',
    answers(
      MyTokensDocument,
      list(
        left(1, 'a fifth', 200_000),
        left(2, 'less', 199_000),
        left(3, 'a twentieth', 50_000),
        left(4, 'hardly any', 49_000),
        tokenRow(5, 'endless', { quota: { remaining: null, used: 500_000 } }),
      ),
    ),
  );
  for (const [name, color] of [
    ['a fifth', 'Primary'],
    ['less', 'Warning'],
    ['a twentieth', 'Warning'],
    ['hardly any', 'Error'],
  ] as const) {
    const bar = (await rowOf(name)).getByRole('progressbar', { name: 'Quota left' });
    expect([name, bar.className]).toEqual([name, expect.stringMatching(new RegExp(`color${color}`, 'i'))]);
  }
  const endless = await rowOf('endless');
  endless.getByText('Unlimited');
  endless.getByText('$1.00 used');
  expect(endless.queryByRole('progressbar')).toBeNull();
});

it('shows a key only when it is asked for, and hides it again', async () => {
  const key = {
    request: { query: TokenKeyDocument, variables: { id: 1 } },
    result: { data: { tokenKey: 'Jx4Tsecret' } },
  };
  await open('/token', answers(MyTokensDocument, list(tokenRow(1, 'mine'))), key);
  const row = await rowOf('mine');
  fireEvent.click(row.getByRole('button', { name: 'Show key of mine' }));
  await row.findByText('sk-Jx4Tsecret');
  fireEvent.click(row.getByRole('button', { name: 'Hide key of mine' }));
  await row.findByText('sk-Jx4T…wxyz');
});

it('begins with what a token is for and an example, or says that nothing matches', async () => {
  const { unmount } = await open('/token', answers(MyTokensDocument, list()));
  await screen.findByRole('heading', { name: 'No tokens yet' });
  screen.getByText(/^curl /);
  expect(screen.getAllByRole('button', { name: 'Create token' })).toHaveLength(1);
  unmount();
  await open('/token?keyword=zzz', answers(MyTokensDocument, list()));
  await screen.findByText('Nothing matches these filters');
});

it('says in place what failed, and tries again', async () => {
  await open('/token', ...failsOnce(MyTokensDocument, 'The database is away', list(tokenRow(1, 'mine'))));
  expect(await screen.findByRole('alert')).toHaveTextContent('The database is away');
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await rowOf('mine');
});
