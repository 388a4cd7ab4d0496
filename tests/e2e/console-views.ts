import { settled } from './console-page.js';
import { insidePaths } from './console-paths.js';
import type { Locator, Page } from 'playwright-core';
import { sayIn, type Say } from './console-site.js';

/** A screen, or a dialog or drawer on it, and the steps that open it. */
export interface View {
  readonly name: string;
  readonly path: string;
  /** Steps after the page is loaded. */
  open?(at: PageActions): Promise<void>;
  /** Default: a heading of the first level. */
  readonly shows?: (at: PageActions) => Locator;
  /**
   * Whether the view exists only on a desktop: batch selection and the column dialog belong to grids, which phones do
   * not have.
   */
  readonly deskOnly?: boolean;
}

/** User actions on a page, by the texts of its language. */
export class PageActions {
  constructor(
    readonly page: Page,
    readonly say: Say,
  ) {}

  button(key: string, values?: Readonly<Record<string, string | number>>): Locator {
    return this.page.getByRole('button', { name: this.say(key, values), exact: true }).first();
  }

  async press(key: string, values?: Readonly<Record<string, string | number>>): Promise<void> {
    await this.button(key, values).click();
  }

  async choose(key: string): Promise<void> {
    await this.page.getByRole('menuitem', { name: this.say(key), exact: true }).click();
  }

  dialog(): Locator {
    return this.page.locator('[role=dialog], [role=alertdialog]').last();
  }
}

const inDialog = ({ page }: PageActions): Locator =>
  page.locator('[role=dialog]:visible, [role=alertdialog]:visible').last();
/** The picker is above the drawer from which it was opened, which is a dialog as well. */
const inPicker = ({ page, say }: PageActions): Locator =>
  page.getByRole('dialog', { name: say('channels.pickerTitle'), exact: true });
const row = ({ page }: PageActions, text: string): Locator =>
  page.locator('main [role=row], main li').filter({ hasText: text }).first();

/** The form of an object on its page. */
const inSettings =
  (title: string) =>
  ({ page, say }: PageActions): Locator =>
    page.getByRole('region', { name: say(title), exact: true });
const onPage = ({ page }: PageActions): Locator => page.getByRole('tab', { selected: true });

/** Opens the page of an object from its list, and a tab of it. */
const openPage =
  (name: string, tab?: string) =>
  async (at: PageActions): Promise<void> => {
    await row(at, name).getByText(name, { exact: true }).first().click();
    await at.page.getByRole('heading', { level: 1, name }).waitFor();
    if (tab) await at.page.getByRole('tab', { name: at.say(tab), exact: true }).click();
  };

/** Views before sign-in. */
export const publicViews: readonly View[] = [
  { name: 'login', path: '/login' },
  { name: 'login-expired', path: '/login?expired=true', open: (at) => at.press('shell.signIn') },
  { name: 'register', path: '/register', open: (at) => at.press('register.submit') },
  { name: 'reset', path: '/reset' },
  { name: 'reset-confirm', path: '/user/reset?email=ada%40example.com&token=t' },
  { name: 'reset-invalid', path: '/user/reset' },
  { name: 'home', path: '/' },
  { name: 'about', path: '/about', shows: ({ page }) => page.getByRole('heading').first() },
  { name: 'pricing', path: '/pricing' },
  { name: 'model-health', path: '/model-health' },
  { name: 'status', path: '/status' },
  { name: 'not-found', path: '/nowhere', shows: ({ page }) => page.getByRole('heading').first() },
];

const more = (noun: string, name: string, choice: string) => async (at: PageActions) => {
  await at.press(`${noun}.moreOf`, { name });
  await at.choose(choice);
};

/** The name of the bell contains the number of new alerts, if there are any. */
const openNotifications = ({ page, say }: PageActions): Promise<void> =>
  page.getByRole('button', { name: new RegExp(`^${say('shell.notifications')}`) }).click();

const viewsOfScreens: readonly View[] = [
  { name: 'token', path: '/token', shows: (at) => row(at, 'Production') },
  { name: 'token-add', path: '/token', open: (at) => at.press('tokens.create'), shows: inDialog },
  { name: 'token-page', path: '/token', open: openPage('Production'), shows: onPage },
  { name: 'token-edit', path: '/token', open: more('tokens', 'Production', 'actions.edit'), shows: inDialog },
  { name: 'token-usage', path: '/token', open: more('tokens', 'Production', 'tokens.usage'), shows: inDialog },
  { name: 'token-delete', path: '/token', open: more('tokens', 'Production', 'actions.delete'), shows: inDialog },
  { name: 'pricing-admin', path: '/pricing' },
  { name: 'playground', path: '/playground' },
  { name: 'model-health-admin', path: '/model-health' },
  { name: 'status-admin', path: '/status' },
  { name: 'channel', path: '/channel', shows: (at) => row(at, 'OpenAI primary') },
  { name: 'channel-health', path: '/channel-health' },
  { name: 'channel-tags', path: '/channel?tags=1', shows: (at) => row(at, 'openai-us') },
  { name: 'channel-add', path: '/channel/add', shows: inDialog },
  { name: 'channel-page', path: '/channel', open: openPage('OpenAI primary'), shows: onPage },
  ...(['errors', 'cost', 'limits', 'changes'] as const).map((tab) => ({
    name: `channel-page-${tab}`,
    path: '/channel',
    open: openPage('OpenAI primary', `objects.${tab}`),
    shows: onPage,
  })),
  { name: 'channel-key-page', path: '/key/1/1', shows: onPage },
  { name: 'model-page', path: '/model/gpt-4o', shows: onPage },
  {
    name: 'model-price',
    path: '/model/gpt-4o/price',
    shows: ({ page, say }) => page.getByText(say('objects.costByChannel')),
  },
  {
    name: 'request-page-none',
    path: '/request/none',
    shows: ({ page, say }) => page.getByText(say('objects.requestGone')),
  },
  {
    name: 'channel-edit',
    path: '/channel',
    open: more('channels', 'OpenAI primary', 'actions.edit'),
    shows: inSettings('channels.edit'),
  },
  {
    name: 'channel-errors',
    path: '/channel/add',
    open: (at) => at.press('channels.create'),
    shows: ({ page, say }) => page.getByText(say('channels.nameMissing')),
  },
  {
    name: 'channel-test',
    path: '/channel',
    open: more('channels', 'OpenAI primary', 'channels.testModels'),
    shows: inDialog,
  },
  {
    name: 'channel-columns',
    path: '/channel',
    deskOnly: true,
    open: (at) => at.press('grid.columns'),
    shows: inDialog,
  },
  {
    name: 'channel-selected',
    path: '/channel',
    deskOnly: true,
    open: async (at) => {
      await row(at, 'OpenAI primary').getByRole('checkbox').check();
    },
    shows: ({ page, say }) => page.getByText(say('grid.selected_other', { count: 1 })),
  },
  {
    name: 'channel-picker',
    path: '/channel/add',
    open: (at) => at.press('channels.openPicker'),
    shows: inPicker,
  },
  { name: 'log', path: '/log', shows: ({ page }) => page.locator('main [role=row][data-id], main li').first() },
  {
    name: 'log-detail',
    path: '/log?type=2',
    open: async ({ page }) => {
      await page.locator('main [role=row][data-id], main li').first().click();
    },
    shows: ({ page, say }) => page.getByRole('heading', { name: say('logs.request'), exact: true }),
  },
  {
    name: 'log-empty',
    path: '/log?modelName=no-such-model',
    shows: ({ page, say }) => page.getByText(say('grid.noMatch')),
  },
  {
    name: 'log-filter',
    path: '/log',
    open: async (at) => {
      await at.press('grid.addFilter');
      await at.choose('fields.modelName');
    },
    shows: ({ page, say }) => page.getByRole('dialog', { name: say('fields.modelName'), exact: true }),
  },
  { name: 'log-columns', path: '/log', deskOnly: true, open: (at) => at.press('grid.columns'), shows: inDialog },
  { name: 'user', path: '/user', shows: (at) => row(at, 'ada') },
  { name: 'user-add', path: '/user', open: (at) => at.press('users.add'), shows: inDialog },
  { name: 'user-edit', path: '/user', open: more('users', 'ada', 'actions.edit'), shows: inSettings('users.edit') },
  { name: 'user-page', path: '/user', open: openPage('ada'), shows: onPage },
  { name: 'user-page-keys', path: '/user', open: openPage('ada', 'shell.tokens'), shows: onPage },
  { name: 'user-quota', path: '/user', open: more('users', 'ada', 'users.grant'), shows: inDialog },
  { name: 'redemption', path: '/redemption', shows: (at) => row(at, 'Launch credit') },
  { name: 'redemption-add', path: '/redemption', open: (at) => at.press('redemptions.create'), shows: inDialog },
  {
    name: 'redemption-delete-by-name',
    path: '/redemption',
    open: async (at) => {
      await at.press('actions.more');
      await at.choose('redemptions.deleteByName');
    },
    shows: inDialog,
  },
  { name: 'payment', path: '/payment', shows: ({ page }) => page.getByRole('heading', { level: 1 }) },
  { name: 'price-history', path: '/price-history', shows: ({ page }) => page.getByRole('heading', { level: 1 }) },
  { name: 'alerts', path: '/alert', shows: ({ page }) => page.getByRole('heading', { level: 1 }) },
  { name: 'notifications', path: '/token', open: openNotifications, shows: inDialog },
  { name: 'audit', path: '/audit', shows: ({ page }) => page.locator('main [role=row][data-id], main li').first() },
  {
    name: 'audit-entry',
    path: '/audit',
    // The object in the middle of the row is a link.
    open: ({ page }) => page.locator('main [role=row][data-id] [data-field=changes], main li').first().click(),
    shows: inDialog,
  },
  {
    name: 'pricing-model',
    path: '/pricing?row=gpt-4o',
    shows: inDialog,
  },
  { name: 'midjourney', path: '/midjourney', shows: ({ page }) => page.getByText(/lighthouse/).first() },
  { name: 'task', path: '/task', shows: ({ page }) => page.getByText(/^song-/).first() },
  {
    name: 'task-record',
    path: '/task',
    open: async ({ page }) => {
      await page
        .getByText(/^song-/)
        .first()
        .click();
    },
    shows: inDialog,
  },
  {
    name: 'detail',
    path: '/detail',
    shows: ({ page, say }) => page.getByRole('heading', { name: say('dashboard.topModels') }),
  },
  {
    name: 'detail-table',
    path: '/detail',
    open: async (at) => {
      await at.press('dashboard.moreOf', { name: at.say('dashboard.spendByModel') });
      await at.choose('dashboard.asTable');
    },
    shows: ({ page }) => page.getByRole('table').first(),
  },
  {
    name: 'topup',
    path: '/topup',
    shows: ({ page, say }) => page.getByRole('heading', { name: say('wallet.redeemTitle') }),
  },
  {
    name: 'personal',
    path: '/personal',
    shows: ({ page, say }) => page.getByRole('heading', { name: say('personal.accessToken') }),
  },
  {
    name: 'personal-email',
    path: '/personal',
    open: (at) => at.press('personal.bindOf', { name: at.say('fields.email') }),
    shows: inDialog,
  },
  { name: 'personal-delete', path: '/personal', open: (at) => at.press('personal.deleteAccount'), shows: inDialog },
  {
    name: 'personal-notifications',
    path: '/personal?tab=notifications',
    shows: ({ page, say }) => page.getByText(say('personal.warnBelow')),
  },
  {
    name: 'personal-budgets',
    path: '/personal?tab=budgets',
    shows: ({ page, say }) => page.getByText(say('budgets.ownText')),
  },
  { name: 'personal-price', path: '/personal?tab=price', shows: ({ page }) => page.getByRole('switch').first() },
  ...['operation', 'ratelimit', 'models', 'system', 'other'].map((tab) => ({
    name: `setting-${tab}`,
    path: `/setting?tab=${tab}`,
    shows: ({ page }: PageActions) => page.locator('[data-setting]').first(),
  })),
];
const pathsOfViews = new Set(viewsOfScreens.map(({ path }) => path.split('?')[0]));

/** The screen that the page of another site fills. */
const foreign = ['/chat'];

/** Views behind sign-in, as root: a screen without one of its own is shown as it opens. */
export const adminViews: readonly View[] = [
  ...viewsOfScreens,
  ...insidePaths
    .filter((path) => !foreign.includes(path) && !pathsOfViews.has(path))
    .map((path) => ({ name: path.slice(1), path })),
];

/** Follows an address as the links of the console do, without loading the page again. */
const follow = (page: Page, path: string): Promise<void> =>
  page.evaluate((address) => {
    // The router numbers its entries, and expects the number when it navigates to one.
    const { idx } = history.state as { idx: number };
    history.pushState({ usr: null, key: address, idx: idx + 1 }, '', address);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);

/**
 * Navigates within the loaded console, which takes a fraction of the time of a page load. Open dialogs are closed, but
 * the console may show cached data of the screen at first.
 */
export async function go(page: Page, path: string, say: Say = sayIn('en')): Promise<void> {
  await leaveView(page, say);
  await follow(page, path);
  await nowhere(page, say).waitFor({ state: 'detached' });
}

/** Leaves a screen and its dialogs, for an address without a screen. */
export async function leaveView(page: Page, say: Say): Promise<void> {
  const path = '/between-two-views';
  if (new URL(page.url()).pathname !== path) await follow(page, path);
  await nowhere(page, say).waitFor();
}

const nowhere = (page: Page, say: Say): Locator => page.getByText(say('notFound.text'));

/**
 * Opens a view and waits until it is there.
 * @param how 'inside': by `go`
 */
export async function openView(view: View, actions: PageActions, how: 'load' | 'inside' = 'load'): Promise<void> {
  const { page, say } = actions;
  if (how === 'load') await page.goto(view.path);
  else await go(page, view.path, say);
  // The heading is not found by its role, because an open drawer hides the page below it from roles.
  await page.locator('h1, h2').first().waitFor();
  await view.open?.(actions);
  await (view.shows?.(actions) ?? page.locator('h1')).first().waitFor();
  await settled(page);
}

/** Every dialog and drawer that a phone has. */
export const dialogViews = adminViews.filter(
  ({ shows, deskOnly }) => (shows === inDialog || shows === inPicker) && !deskOnly,
);
