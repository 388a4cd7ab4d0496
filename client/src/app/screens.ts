import type { Permission } from '../lib/permissions.js';

/** The groups of the side bar, in order. The first has no heading. */
export const sideBarGroups = ['talk', 'console', 'admin', 'personal'] as const;

/** An entry of the side bar. Its label is the text `shell.<label>`. */
export interface SideBarEntry {
  readonly group: (typeof sideBarGroups)[number];
  readonly label:
    | 'playground'
    | 'chat'
    | 'dashboard'
    | 'savedDashboards'
    | 'modelHealth'
    | 'statusPage'
    | 'tokens'
    | 'logs'
    | 'drawings'
    | 'tasks'
    | 'channels'
    | 'channelHealth'
    | 'redemptions'
    | 'plans'
    | 'myPlans'
    | 'users'
    | 'settings'
    | 'payments'
    | 'allStatements'
    | 'profit'
    | 'audit'
    | 'priceHistory'
    | 'alerts'
    | 'webhooks'
    | 'wallet'
    | 'statements'
    | 'organisations'
    | 'allOrganisations'
    | 'personal';
  /** Shown only to users with this permission, although other users may open the screen by its address. */
  readonly shownTo?: Permission;
  /** Shown only while this flag of the site's status is set. */
  readonly needs?: 'enableDataExport' | 'enableModelHealth' | 'enableStatusPage' | 'enableDrawing' | 'enableTask';
}

export interface ScreenEntry {
  /** Routes that show this screen. A side bar entry leads to the first. */
  readonly paths: readonly [string, ...string[]];
  /** `<folder>/<Name>`: the component `<Name>Screen` in `src/screens/<folder>/<Name>Screen.tsx`. */
  readonly module: `${string}/${string}`;
  /** `visitor`: everyone, with only the texts of public pages. `anyone`: everyone. `user`: after sign-in. `admin`: for holders of `permission`. */
  readonly access: 'visitor' | 'anyone' | 'user' | 'admin';
  /** Whether a page for visitors shows what GraphQL returns. The client's code is then loaded with it. */
  readonly asksAtOnce?: true;
  /** Admins and custom roles need one of them to open the screen. */
  readonly permission?: readonly Permission[];
  /** `plain`: without a side bar. `bare`: without the shell. The default is with both. */
  readonly layout?: 'plain' | 'bare';
  /**
   * Whether the screen applies a changed time zone itself and so keeps typed values. By default it is mounted again.
   */
  readonly followsZone?: true;
  readonly sideBar?: SideBarEntry;
}

/**
 * Every screen of the console: the router, the side bar and the build (`chunks.ts`, `preloads.ts`) read this table. The
 * order of the side bar's entries is the order here.
 */
export const screens: readonly ScreenEntry[] = [
  { paths: ['/'], module: 'home/Home', access: 'visitor', layout: 'plain' },
  { paths: ['/about'], module: 'about/About', access: 'visitor', asksAtOnce: true },
  { paths: ['/setup'], module: 'setup/Setup', access: 'visitor', asksAtOnce: true, layout: 'plain' },
  { paths: ['/login'], module: 'login/Login', access: 'visitor', layout: 'plain' },
  { paths: ['/register'], module: 'register/Register', access: 'visitor', layout: 'plain' },
  { paths: ['/reset'], module: 'reset/Reset', access: 'visitor', asksAtOnce: true, layout: 'plain' },
  { paths: ['/user/reset'], module: 'reset/ResetConfirm', access: 'visitor', asksAtOnce: true, layout: 'plain' },
  { paths: ['/oauth/:provider'], module: 'oauth/OAuthLanding', access: 'visitor', layout: 'bare' },
  { paths: ['/pricing'], module: 'pricing/Pricing', access: 'anyone' },
  {
    paths: ['/playground'],
    module: 'playground/Playground',
    access: 'user',
    sideBar: { group: 'talk', label: 'playground' },
  },
  {
    paths: ['/chat', '/chat/:id'],
    module: 'chat/Chat',
    access: 'anyone',
    layout: 'plain',
    sideBar: { group: 'talk', label: 'chat' },
  },
  { paths: ['/chat2link'], module: 'chat/ChatRedirect', access: 'user', layout: 'plain' },
  {
    paths: ['/detail'],
    module: 'dashboard/Dashboard',
    access: 'user',
    sideBar: {
      group: 'console',
      label: 'dashboard',
      needs: 'enableDataExport',
    },
  },
  {
    paths: ['/dashboards'],
    module: 'dashboards/DashboardList',
    access: 'admin',
    permission: ['USAGE_READ'],
    sideBar: { group: 'console', label: 'savedDashboards' },
  },
  {
    paths: ['/dashboards/add', '/dashboards/:id', '/dashboards/:id/edit'],
    module: 'dashboards/SavedDashboard',
    access: 'admin',
    permission: ['USAGE_READ'],
  },
  {
    paths: ['/graphql/explorer'],
    module: 'explorer/Explorer',
    access: 'admin',
    permission: ['USAGE_READ'],
  },
  {
    paths: ['/token'],
    module: 'tokens/TokenList',
    access: 'user',
    sideBar: { group: 'console', label: 'tokens' },
  },
  { paths: ['/token/:id', '/token/:id/:tab'], module: 'tokens/Token', access: 'user' },
  {
    paths: ['/model/:name', '/model/:name/:tab'],
    module: 'models/Model',
    access: 'admin',
    permission: ['USAGE_READ', 'CHANNELS_READ', 'PRICES'],
  },
  {
    paths: ['/key/:id/:position', '/key/:id/:position/:tab'],
    module: 'channels/ChannelKey',
    access: 'admin',
    permission: ['CHANNELS_READ'],
  },
  { paths: ['/request/:id', '/request/:id/:tab'], module: 'logs/Request', access: 'user' },
  {
    paths: ['/log'],
    module: 'logs/LogList',
    access: 'user',
    sideBar: { group: 'console', label: 'logs', shownTo: 'LOGS_READ' },
  },
  {
    paths: ['/model-health'],
    module: 'model-health/ModelHealth',
    access: 'anyone',
    sideBar: {
      group: 'console',
      label: 'modelHealth',
      needs: 'enableModelHealth',
    },
  },
  {
    paths: ['/status'],
    module: 'status-page/StatusPage',
    access: 'anyone',
    sideBar: { group: 'console', label: 'statusPage', needs: 'enableStatusPage' },
  },
  {
    paths: ['/midjourney'],
    module: 'tasks/DrawingList',
    access: 'user',
    sideBar: {
      group: 'console',
      label: 'drawings',
      shownTo: 'TASKS_READ',
      needs: 'enableDrawing',
    },
  },
  {
    paths: ['/task'],
    module: 'tasks/CreativeTaskList',
    access: 'user',
    sideBar: { group: 'console', label: 'tasks', shownTo: 'TASKS_READ', needs: 'enableTask' },
  },
  {
    paths: ['/channel', '/channel/add'],
    module: 'channels/ChannelList',
    access: 'admin',
    permission: ['CHANNELS_READ'],
    sideBar: { group: 'admin', label: 'channels' },
  },
  {
    // Older consoles use the second address. It opens the settings.
    paths: ['/channel/:id', '/channel/edit/:id', '/channel/:id/:tab'],
    module: 'channels/Channel',
    access: 'admin',
    permission: ['CHANNELS_READ'],
  },
  {
    paths: ['/channel-health'],
    module: 'channel-health/ChannelHealth',
    access: 'admin',
    permission: ['CHANNELS_READ'],
    sideBar: { group: 'admin', label: 'channelHealth' },
  },
  {
    paths: ['/redemption'],
    module: 'redemptions/RedemptionList',
    access: 'admin',
    permission: ['CODES'],
    sideBar: { group: 'admin', label: 'redemptions' },
  },
  {
    paths: ['/plan'],
    module: 'plans/PlanList',
    access: 'admin',
    permission: ['PRICES'],
    sideBar: { group: 'admin', label: 'plans' },
  },
  {
    paths: ['/user'],
    module: 'users/UserList',
    access: 'admin',
    permission: ['USERS_READ'],
    sideBar: { group: 'admin', label: 'users' },
  },
  {
    paths: ['/all-organisations'],
    module: 'organisations/AllOrganisations',
    access: 'admin',
    permission: ['USERS_READ'],
    sideBar: { group: 'admin', label: 'allOrganisations' },
  },
  {
    // Older consoles use the second address. It opens the settings.
    paths: ['/user/:id', '/user/edit/:id', '/user/:id/:tab'],
    module: 'users/User',
    access: 'admin',
    permission: ['USERS_READ'],
  },
  {
    paths: ['/profit'],
    module: 'profit/Profit',
    access: 'admin',
    permission: ['USAGE_READ'],
    sideBar: { group: 'admin', label: 'profit' },
  },
  {
    paths: ['/payment'],
    module: 'payments/PaymentList',
    access: 'admin',
    permission: ['PAYMENTS'],
    sideBar: { group: 'admin', label: 'payments' },
  },
  {
    paths: ['/statement'],
    module: 'statements/AllStatementList',
    access: 'admin',
    permission: ['PAYMENTS'],
    sideBar: { group: 'admin', label: 'allStatements' },
  },
  {
    paths: ['/alert'],
    module: 'alerts/AlertList',
    access: 'admin',
    permission: ['ALERTS'],
    sideBar: { group: 'admin', label: 'alerts' },
  },
  {
    paths: ['/webhook'],
    module: 'webhooks/WebhookList',
    access: 'admin',
    permission: ['WEBHOOKS'],
    sideBar: { group: 'admin', label: 'webhooks' },
  },
  { paths: ['/webhook/delivery'], module: 'webhooks/WebhookDeliveryList', access: 'admin', permission: ['WEBHOOKS'] },
  {
    paths: ['/price-history'],
    module: 'audit/PriceHistoryList',
    access: 'admin',
    permission: ['AUDIT'],
    sideBar: { group: 'admin', label: 'priceHistory' },
  },
  {
    paths: ['/audit'],
    module: 'audit/AuditList',
    access: 'admin',
    permission: ['AUDIT'],
    sideBar: { group: 'admin', label: 'audit' },
  },
  {
    paths: ['/setting'],
    module: 'settings/Settings',
    access: 'admin',
    permission: ['OPTIONS', 'PRICES', 'PAYMENTS_SETTINGS'],
    sideBar: { group: 'admin', label: 'settings' },
  },
  {
    paths: ['/organisations'],
    module: 'organisations/Organisations',
    access: 'user',
    sideBar: { group: 'personal', label: 'organisations' },
  },
  { paths: ['/invitation/:token'], module: 'organisations/Invitation', access: 'user' },
  { paths: ['/organisations/:id', '/organisations/:id/:tab'], module: 'organisations/Organisation', access: 'user' },
  {
    paths: ['/topup'],
    module: 'wallet/Wallet',
    access: 'user',
    sideBar: { group: 'personal', label: 'wallet' },
  },
  {
    paths: ['/statements'],
    module: 'statements/StatementList',
    access: 'user',
    sideBar: { group: 'personal', label: 'statements' },
  },
  { paths: ['/statements/:id'], module: 'statements/Statement', access: 'user' },
  {
    paths: ['/my-plans'],
    module: 'plans/MyPlans',
    access: 'user',
    sideBar: { group: 'personal', label: 'myPlans' },
  },
  {
    // `/user/edit` without an id edits the user's own account.
    paths: ['/personal', '/user/edit'],
    module: 'personal/Personal',
    followsZone: true,
    access: 'user',
    sideBar: { group: 'personal', label: 'personal' },
  },
];
