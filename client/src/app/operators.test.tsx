import { screen, within } from '@testing-library/react';
import type { Permission } from '../lib/permissions.js';
import { session } from '../lib/session.js';
import { defaultStatus } from '../lib/site-status.js';
import type { ReactNode } from 'react';
import { AlertSubject } from '../nouns/alerts/AlertItem.js';
import type { AlertRowFragment } from '../nouns/alerts/alerts.generated.js';
import { BudgetsDocument } from '../nouns/budgets/budgets.generated.js';
import { PricedNamesDocument } from '../nouns/prices/prices.generated.js';
import { GroupUseDocument, SettingsDocument } from '../screens/settings/settings.generated.js';
import { sectionIdsFor, tabsFor } from '../nouns/settings/settingsAccess.js';
import { settingsByKey } from '../nouns/settings/settingsByKey.js';
import { SettingsScreen } from '../screens/settings/SettingsScreen.js';
import { logColumns } from '../nouns/logs/logColumns.js';
import { PaidSumsDocument, PaymentsDocument } from '../screens/payments/payments.generated.js';
import { PaymentListScreen } from '../screens/payments/PaymentListScreen.js';
import { UserTokensDocument } from '../screens/users/users.generated.js';
import { UserTokens } from '../screens/users/UserTokens.js';
import { answers } from '../testing/lists.js';
import { paymentMethods } from '../testing/paymentMethods.js';
import { renderScreen } from '../testing/renderScreen.js';
import { signInAs } from '../testing/signInAs.js';
import { navigationFor } from './shell/navigation.js';
import { paletteEntries } from './shell/palette/paletteEntries.js';

/**
 * Tests the screens, sections and buttons that each permission of a custom role opens. The expectations are written by
 * hand from the server's rules.
 */
jest.setTimeout(60_000);

const t = ((key: string) => key) as never;
const status = { ...defaultStatus, enableDrawing: true, enableTask: true } as never;
const adminScreens = () =>
  navigationFor(session.get(), status).flatMap(({ name, entries }) =>
    name === 'admin' ? entries.map(({ label }) => label) : [],
  );

it.each<[readonly Permission[], readonly string[]]>([
  [['CHANNELS_READ'], ['channels', 'channelHealth']],
  [['USERS_READ'], ['users', 'allOrganisations']],
  [['BUDGETS'], []],
  [['PRICES'], ['plans', 'settings']],
  [['PAYMENTS_SETTINGS'], ['settings']],
  [['OPTIONS'], ['settings']],
  [['PAYMENTS'], ['payments', 'allStatements']],
  [['CODES'], ['redemptions']],
  [['ALERTS'], ['alerts']],
  [['WEBHOOKS'], ['webhooks']],
  [['AUDIT'], ['priceHistory', 'audit']],
  [['LOGS_READ'], []],
  [['USAGE_READ'], ['profit']],
  [
    ['CHANNELS_READ', 'PRICES'],
    ['channels', 'channelHealth', 'plans', 'settings'],
  ],
])('%j opens these administration screens: %j', (permissions, expected) => {
  signInAs(...permissions);
  expect(adminScreens()).toEqual(expected);
});

const sections = () =>
  Object.fromEntries(tabsFor(session.get()).map((tab) => [tab, sectionIdsFor(session.get(), tab)]));

it.each<[Permission, Readonly<Record<string, readonly string[]>>]>([
  ['PRICES', { operation: ['general', 'quota', 'groupRatios', 'prices'] }],
  ['PAYMENTS_SETTINGS', { system: ['payment', 'statements'] }],
  [
    'OPTIONS',
    {
      operation: [
        ...['general', 'drawing', 'sensitiveWords', 'guardrails', 'contentCapture', 'log', 'dataDashboard'],
        ...['monitoring', 'alerts', 'checkIn', 'quota', 'chatLinks'],
      ],
      ratelimit: ['modelRequests', 'files'],
      models: ['global', 'routing', 'gemini', 'claude'],
      system: ['server', 'payment', 'statements', 'mail', 'signIn', 'registration', 'emailDomains'],
      other: ['content', 'version'],
    },
  ],
  ['BUDGETS', {}],
  ['AUDIT', {}],
])('%s shows these sections of the settings: %j', (permission, expected) => {
  signInAs(permission);
  expect(sections()).toEqual(expected);
});

it.each<[readonly Permission[], readonly string[]]>([
  [['PRICES'], ['/setting?tab=operation&section=prices', '/setting?tab=operation&find=QuotaPerUnit']],
  [['PAYMENTS_SETTINGS'], ['/setting?tab=system&find=Price']],
  [['CHANNELS_READ'], []],
])('%j finds these settings with the palette, and no action of others', (permissions, expected) => {
  signInAs(...permissions);
  const places = paletteEntries(session.get(), status, t).map(({ to }) => to);
  expect(places).toEqual(expect.arrayContaining([...expected]));
  for (const refused of [
    '/channel/add',
    '/user?row=new',
    '/redemption?row=new',
    '/setting?tab=operation&find=RetryTimes',
  ])
    expect(places).not.toContain(refused);
  expect(places.some((to) => to.startsWith('/setting'))).toBe(expected.length > 0);
});

describe('the screen of settings', () => {
  const refused = jest.fn(() => ({ errors: [{ message: 'refused' }] }));
  afterEach(() => {
    expect(refused).not.toHaveBeenCalled();
    refused.mockClear();
  });
  /** @param writable the keys that the server lets the user change; @param shown those that it sends */
  const values: Readonly<Record<string, string>> = { GroupRatio: '{"default":1}', ModelRatio: '{"gpt-4o":1.25}' };
  const priced = {
    enabledModels: ['gpt-4o'],
    unpricedModels: [],
    salesBelowCost: [],
    pricing: { __typename: 'Pricing', models: [] },
  };
  const open = async (path: string, writable: readonly string[], shown: readonly string[]) => {
    const items = shown.map((key) => ({
      __typename: 'Option',
      key,
      value: values[key] ?? '',
      isSet: true,
      isSecret: false,
      isWritable: writable.includes(key),
    }));
    await renderScreen({
      path,
      routes: [{ path: '/setting', element: <SettingsScreen /> }],
      mocks: [
        { request: { query: SettingsDocument }, result: { data: { options: { __typename: 'OptionPage', items } } } },
        { request: { query: PricedNamesDocument }, result: { data: priced }, maxUsageCount: 9 },
        ...[BudgetsDocument, GroupUseDocument].map((query) => ({
          request: { query, variables: () => true },
          result: refused,
          maxUsageCount: 9,
        })),
      ] as never,
    });
  };
  const regions = () =>
    screen.getAllByRole('region').map((region) => within(region).getAllByRole('heading')[0]?.textContent);

  it('has prices and ratios of groups with prices alone', async () => {
    signInAs('PRICES');
    const keys = ['QuotaPerUnit', 'ModelRatio', 'GroupRatio', 'UserUsableGroups'];
    await open('/setting?tab=system', keys, keys);
    await screen.findByRole('link', { name: 'Open price editor' });
    expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(['Operation']);
    expect(regions()).toEqual(['General', 'Quota', 'Group ratios', 'Model prices']);
    const group = within(screen.getByRole('group', { name: 'default' }));
    expect(group.getByRole('textbox', { name: 'Ratio of default' })).toBeEnabled();
    // Settings of payments and rate limits, which this role cannot change.
    for (const name of ['Top-up ratio of default', 'Requests per period of default']) {
      expect(group.getByRole('textbox', { name })).toBeDisabled();
    }
    expect(group.queryByRole('button', { name: /Budgets/ })).toBeNull();
  });

  it('has the sections of payments and statements with payments.settings alone', async () => {
    signInAs('PAYMENTS_SETTINGS');
    await open('/setting', ['PayAddress', 'Price'], ['PayAddress', 'Price']);
    await screen.findByText('Payment gateway URL');
    expect(regions()).toEqual(['Payment', 'Statements']);
    expect(screen.getAllByRole('tab')).toHaveLength(1);
    expect(document.querySelector('[data-setting="PayAddress"]')).not.toBeNull();
    expect(document.querySelector('[data-setting="SMTPServer"]')).toBeNull();
  });

  const all = [...settingsByKey.keys()];
  it.each([
    [['OPTIONS'], false],
    [['OPTIONS', 'LOGS_DELETE', 'LOGS_READ'], true],
  ] as const)('with %j: the clean-up of logs is shown: %s', async (permissions, expected) => {
    signInAs(...permissions);
    await open('/setting?tab=operation&section=prices', ['RetryTimes'], all);
    await screen.findByText('Retries');
    expect(screen.queryByLabelText('Delete old rows') !== null).toBe(expected);
    // Prices are not shown, even at their own address.
    expect(regions()).not.toContain('Model prices');
    expect(screen.queryByRole('link', { name: 'Open price editor' })).toBeNull();
  });

  it.each([
    [['PRICES'], false],
    [['PRICES', 'AUDIT'], true],
  ] as const)('with %j: prices link to their history: %s', async (permissions, expected) => {
    signInAs(...permissions);
    const keys = ['ModelRatio', 'ModelPrice', 'CompletionRatio', 'CacheRatio', 'PriceCards', 'GroupRatio'];
    await open('/setting?tab=operation&section=prices', keys, keys);
    await screen.findAllByText('gpt-4o');
    expect(screen.queryByRole('link', { name: /gpt-4o/ }) !== null).toBe(expected);
    // Price lists need prices.sync, the reset is root's.
    expect(screen.queryByRole('button', { name: 'Reset to defaults' })).toBeNull();
    expect(screen.queryByText('Price lists')).toBeNull();
  });
});

describe('links to other screens', () => {
  const alert = (kind: AlertRowFragment['kind'], channelId: number | null = 7) => (
    <AlertSubject
      alert={{
        id: 1,
        kind,
        channelId,
        channelName: channelId === null ? null : 'upstream',
        openedAt: '2026-11-20T14:05:00.000Z',
        failedMessages: [],
        endedAt: null,
        reason: null,
        balance: null,
        threshold: null,
        calls: null,
        failedCalls: null,
        models: [],
        endpoints: null,
        count: null,
      }}
    />
  );
  const order = {
    __typename: 'TopUpOrder',
    id: 1,
    userId: 7,
    tradeNo: 'USR7NO1',
    method: 'ALIPAY',
    provider: 'epay',
    topUpCode: null,
    status: 'PENDING',
    quota: 5,
    createdAt: '2026-11-20T14:05:00.000Z',
    paidAt: null,
    money: { __typename: 'Money', amount: '73', currency: 'CNY' },
    refunded: { __typename: 'Money', amount: '0', currency: 'CNY' },
    buyer: { __typename: 'User', id: 7, username: 'ada' },
  };
  const token = {
    __typename: 'Token',
    id: 11,
    name: 'app',
    maskedKey: 'sk-J****',
    status: 'ENABLED',
    lastUsedAt: null,
    usedUpBudgets: [],
    quota: { __typename: 'TokenQuota', remaining: null, used: 0 },
  };
  const mocks = [
    paymentMethods,
    answers(PaymentsDocument, { topUps: { __typename: 'TopUpOrderPage', totalCount: 1, items: [order] } }),
    answers(PaidSumsDocument, {
      topUps: {
        __typename: 'TopUpOrderPage',
        sums: { __typename: 'TopUpOrderSums', orders: 0, quota: 0, keptByCurrency: [] },
      },
    }),
    answers(UserTokensDocument, {
      user: { __typename: 'User', id: 7, username: 'ada' },
      tokens: { __typename: 'TokenPage', totalCount: 1, items: [token] },
    }),
  ];
  const rows: ReadonlyArray<[text: string, needs: Permission, to: string, element: ReactNode]> = [
    ['upstream (#7)', 'CHANNELS_READ', '/channel/7', alert('CHANNEL_DISABLED')],
    ['upstream (#7)', 'LOGS_READ', '/log?type=ERROR&channelId=7', alert('ERROR_RATE')],
    ['Model prices', 'PRICES', '/setting?tab=operation&section=prices', alert('SALE_BELOW_COST', null)],
    ['Webhooks', 'WEBHOOKS', '/webhook', alert('WEBHOOK_OFF', null)],
    ['ada', 'USERS_READ', '/user/7', <PaymentListScreen />],
  ];
  const open = (element: ReactNode) =>
    renderScreen({ path: '/any', routes: [{ path: '/any', element }], mocks: mocks as never });

  it.each(rows)('%s is a link for %s', async (text, needs, to, element) => {
    signInAs(needs);
    await open(element);
    expect(await screen.findByRole('link', { name: text })).toHaveAttribute('href', to);
  });

  it.each(rows)('%s is plain text without %s', async (text, needs, _, element) => {
    // The role has the permissions of the screens, and one permission that opens the target of other alert kinds.
    signInAs(...(['ALERTS', 'PAYMENTS', 'LOGS_READ', 'CHANNELS_READ'] as const).filter((one) => one !== needs));
    await open(element);
    await screen.findByText(text);
    expect(screen.queryByRole('link', { name: text })).toBeNull();
  });

  it.each([
    [['USERS_READ'], false],
    [['USERS_READ', 'LOGS_READ'], true],
  ] as const)('with %j: keys of a user link to their log: %s', async (permissions, expected) => {
    signInAs(...permissions);
    await open(<UserTokens id={7} groups={[]} canChange={false} onClosed={() => undefined} />);
    await screen.findByText('app');
    expect(screen.queryByRole('link', { name: 'Usage log' }) !== null).toBe(expected);
  });

  it.each([[null], [jest.fn()]])('names in the log open the user only for readers of users: %#', async (openUser) => {
    const column = logColumns({ t, format: {} as never, isAdmin: true, openUser }).find(
      ({ field }) => field === 'username',
    );
    await open(column?.renderCell?.({ row: { username: 'ada', userId: 7 } } as never));
    await screen.findByText('ada');
    const button = screen.queryByRole('button', { name: 'ada' });
    button?.click();
    expect(button === null).toBe(openUser === null);
    if (openUser) expect(openUser).toHaveBeenCalledWith(7);
  });
});
