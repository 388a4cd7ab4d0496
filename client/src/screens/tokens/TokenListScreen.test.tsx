import type { BudgetLineFragment } from '../../nouns/budgets/budgets.generated.js';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { siteStatus } from '../../lib/status.js';
import { answers, failsOnce, headers, rowOf, toneOf } from '../../testing/lists.js';
import { chooseFilter } from '../../testing/filters.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { tokenRow } from '../../testing/tokenRow.js';
import {
  DeleteTokensDocument,
  DisableTokensDocument,
  SetTokenGroupDocument,
} from '../../nouns/tokens/tokenBulk.generated.js';
import { TokenListScreen } from './TokenListScreen.js';
import {
  DeleteTokenDocument,
  MatchingTokensDocument,
  MyTokensDocument,
  TokenChoicesDocument,
  TokenKeyDocument,
  type TokenRowFragment,
} from './tokens.generated.js';

const list = (...items: readonly TokenRowFragment[]) => ({
  myTokens: { __typename: 'TokenPage', totalCount: items.length, items },
});
const open = (path: string, ...mocks: readonly object[]) =>
  renderScreen({ path, routes: [{ path: '/token', element: <TokenListScreen /> }], mocks: mocks as never });

jest.setTimeout(60_000);

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

it('shows that budgets refuse the calls of a key', async () => {
  const budget = (id: number, more: Partial<BudgetLineFragment>): BudgetLineFragment => ({
    ...({ __typename: 'Budget', id, level: 'TOKEN', subjectId: 1, subjectName: '', kind: 'REQUESTS' } as const),
    ...({ amount: 10, span: 'DAY', isRolling: false, timeZone: 'UTC', startsAt: null, endsAt: null } as const),
    models: [],
    enabled: true,
    byAdmin: false,
    state: { resetsAt: '2030-01-02T00:00:00Z', used: 8, held: 2 },
    ...more,
  });
  const spent = [budget(1, {}), budget(2, { level: 'USER', span: 'MONTH', models: ['gpt-*'] })];
  await open(
    '/token',
    answers(
      MyTokensDocument,
      list(
        tokenRow(1, 'spent', { usedUpBudgets: spent }),
        tokenRow(2, 'raised since', { usedUpBudgets: [budget(3, { amount: 11 })] }),
        tokenRow(3, 'ended', { status: 'EXPIRED', usedUpBudgets: spent }),
      ),
    ),
  );
  fireEvent.mouseOver((await rowOf('spent')).getByText('Used up'));
  const hint = await screen.findByRole('tooltip');
  expect(hint).toHaveTextContent('This key: 10 requests per day · Resets 2030-01-02 00:00 (UTC)');
  expect(hint).toHaveTextContent('All keys of this user: 10 requests per month · Only gpt-*');
  (await rowOf('raised since')).getByText('Enabled');
  (await rowOf('ended')).getByText('Expired');
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

it('opens the token of a shared link that is on another page of the list', async () => {
  const asked: unknown[] = [];
  const page = (items: readonly TokenRowFragment[], of: (filter: { ids?: number[] }) => boolean) => ({
    request: {
      query: MyTokensDocument,
      variables: ({ filter }: { filter: { ids?: number[] } }) => of(filter) && Boolean(asked.push(filter)),
    },
    result: { data: { myTokens: { __typename: 'TokenPage', totalCount: 31, items } } },
    maxUsageCount: 9,
  });
  await open(
    '/token?row=31',
    page([tokenRow(1, 'first page')], ({ ids }) => ids === undefined),
    page([tokenRow(31, 'elsewhere')], ({ ids }) => ids !== undefined),
  );
  const drawer = within(await screen.findByRole('dialog'));
  expect(drawer.getByRole('textbox', { name: /^Name/ })).toHaveValue('elsewhere');
  expect(asked).toContainEqual({ ids: [31] });
});

it('opens an enabled token in a chat app of the site', async () => {
  siteStatus.set({ ...siteStatus.get(), chatLinks: [{ name: 'Local', link: 'https://chat.example/?key={key}' }] });
  const { location } = await renderScreen({
    path: '/token',
    routes: [
      { path: '/token', element: <TokenListScreen /> },
      { path: '/chat/:id', element: <p>the chat</p> },
    ],
    mocks: [answers(MyTokensDocument, list(tokenRow(1, 'off', { status: 'DISABLED' }), tokenRow(7, 'mine')))] as never,
  });
  fireEvent.click((await rowOf('off')).getByRole('button', { name: 'More actions for token off' }));
  await screen.findByRole('menuitem', { name: 'Edit' });
  expect(screen.queryByRole('menuitem', { name: 'Open in Local' })).toBeNull();
  fireEvent.keyDown(screen.getByRole('menu'), { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
  fireEvent.click((await rowOf('mine')).getByRole('button', { name: 'More actions for token mine' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Open in Local' }));
  await screen.findByText('the chat');
  expect(location()).toBe('/chat/0?token=7');
  siteStatus.set({ ...siteStatus.get(), chatLinks: [] });
});

it('filters by status, from the menu and from the address', async () => {
  const asked: unknown[] = [];
  const variables = ({ filter }: { filter: unknown }) => Boolean(asked.push(filter));
  const all = {
    request: { query: MyTokensDocument, variables },
    result: { data: list(tokenRow(1, 'mine')) },
    maxUsageCount: 9,
  };
  const { location, unmount } = await open('/token', all);
  await rowOf('mine');
  expect(asked).toEqual([{ keyword: null }]);
  await chooseFilter('Status', 'Exhausted');
  await waitFor(() => expect(asked.at(-1)).toEqual({ keyword: null, statuses: ['EXHAUSTED'] }));
  expect(location()).toBe('/token?status=EXHAUSTED');
  unmount();
  await open('/token?status=EXPIRED', all);
  await rowOf('mine');
  expect(asked.at(-1)).toEqual({ keyword: null, statuses: ['EXPIRED'] });
});

describe('selected tokens', () => {
  const tokens = answers(MyTokensDocument, list(tokenRow(1, 'app'), tokenRow(2, 'bot'), tokenRow(3, 'cron')));
  const choices = answers(TokenChoicesDocument, {
    myModels: [],
    myGroups: [{ __typename: 'UsableGroup', name: 'vip', description: 'VIP', ratio: 1 }],
  });
  /** A mutation that must be called with exactly these variables. */
  const writing = (query: object, variables: object, data: object) => ({
    request: { query, variables },
    result: jest.fn(() => ({ data })),
  });
  const payload = (done: readonly number[], failed: readonly object[] = []) => ({
    __typename: 'BulkPayload',
    done,
    failed,
  });
  const select = async (...names: readonly string[]) => {
    for (const name of names) fireEvent.click((await rowOf(name)).getByRole('checkbox', { name: /Select row/ }));
    await screen.findByText(`${names.length} selected`);
  };

  it('are all that match the filters, also those of other pages', async () => {
    const ids = {
      request: {
        query: MatchingTokensDocument,
        variables: { page: 0, pageSize: 100, filter: { keyword: 'a', statuses: ['ENABLED'] } },
      },
      result: {
        data: { myTokens: { __typename: 'TokenPage', items: [3, 2, 1].map((id) => ({ __typename: 'Token', id })) } },
      },
    };
    const remove = writing(DeleteTokensDocument, { ids: [3, 2, 1] }, { deleteTokens: payload([3, 2, 1]) });
    const page = answers(MyTokensDocument, { myTokens: { ...list(tokenRow(1, 'app')).myTokens, totalCount: 3 } });
    await open('/token?keyword=a&status=ENABLED', page, choices, ids, remove);
    await select('app');
    fireEvent.click(screen.getByRole('button', { name: 'Select all 3 that match' }));
    await screen.findByText('3 selected');
    fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
    const question = within(await screen.findByRole('alertdialog', { name: 'Delete 3 tokens?' }));
    fireEvent.click(question.getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(remove.result).toHaveBeenCalledTimes(1));
  });

  it('are deleted together in one request, after a question', async () => {
    const remove = writing(DeleteTokensDocument, { ids: [1, 3] }, { deleteTokens: payload([1, 3]) });
    await open('/token', tokens, choices, remove);
    await select('app', 'cron');
    fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
    const question = within(await screen.findByRole('alertdialog', { name: 'Delete 2 tokens?' }));
    expect(remove.result).not.toHaveBeenCalled();
    fireEvent.click(question.getByRole('button', { name: 'Delete' }));
    await screen.findByText('2 tokens changed');
    expect(remove.result).toHaveBeenCalledTimes(1);
    await screen.findByRole('search');
  });

  /** Disables app and bot, of which the server refuses bot. */
  const disableBoth = async (code: string, message: string) => {
    const failed = [{ id: 2, code, message }];
    const disable = writing(DisableTokensDocument, { ids: [1, 2] }, { disableTokens: payload([1], failed) });
    await open('/token', tokens, choices, disable);
    await select('app', 'bot');
    fireEvent.click(screen.getByRole('button', { name: 'Disable' }));
    const question = within(await screen.findByRole('alertdialog', { name: 'Disable 2 tokens?' }));
    fireEvent.click(question.getByRole('button', { name: 'Disable' }));
    await screen.findByText(`1 changed, 1 not. Token 2: ${message}`);
  };

  it('that were refused stay selected, with the reason', async () => {
    await disableBoth('INVALID_INPUT', 'The token has expired');
    await screen.findByText('1 selected');
    expect(await (await rowOf('bot')).findByRole('checkbox', { name: /row/ })).toBeChecked();
    expect((await rowOf('app')).getByRole('checkbox', { name: /row/ })).not.toBeChecked();
  });

  it('are no longer selected when they are gone', async () => {
    await disableBoth('NOT_FOUND', 'Token 2 does not exist');
    await waitFor(() => expect(screen.queryByText(/selected/)).toBeNull());
  });

  it('lose a row that is deleted from its menu', async () => {
    const remove = writing(DeleteTokenDocument, { id: 1 }, { deleteToken: { __typename: 'DeletePayload', id: 1 } });
    await open('/token', tokens, choices, remove);
    await select('app', 'bot');
    fireEvent.click(screen.getByRole('button', { name: 'More actions for token app' }));
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
    const question = within(await screen.findByRole('alertdialog', { name: 'Delete token “app”?' }));
    fireEvent.click(question.getByRole('button', { name: 'Delete' }));
    await screen.findByText('Token “app” deleted');
    await screen.findByText('1 selected');
  });

  it.each([
    ['Same as my account', null],
    ['vip', 'vip'],
  ])('are moved to the group %s', async (label, group) => {
    const move = writing(SetTokenGroupDocument, { ids: [2], group }, { setTokenGroup: payload([2]) });
    await open('/token', tokens, choices, move);
    await select('bot');
    fireEvent.click(screen.getByRole('button', { name: 'Set group' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Set the group of 1 token' }));
    fireEvent.mouseDown(dialog.getByRole('combobox', { name: 'Group' }));
    fireEvent.click(await screen.findByRole('option', { name: label }));
    fireEvent.click(dialog.getByRole('button', { name: 'Set group' }));
    await screen.findByText('1 token changed');
    expect(move.result).toHaveBeenCalledTimes(1);
  });
});

it('says that a linked token was not found, and keeps the list', async () => {
  const read = {
    request: { query: MyTokensDocument, variables: () => true },
    maxUsageCount: 9,
    result: ({ filter }: { filter: { ids?: number[] } }) => ({
      data: filter.ids ? list() : list(tokenRow(1, 'one')),
    }),
  };
  await open('/token?row=999', read);
  expect(await screen.findByText('The linked entry was not found')).toBeInTheDocument();
  await rowOf('one');
  expect(screen.queryByRole('dialog')).toBeNull();
});
