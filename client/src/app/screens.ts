import type { Permission } from '../lib/permissions.js';

/**
 * The groups of the side bar with their entries, in order. The first has no heading. The label of an entry is the text
 * `shell.<entry>`.
 */
export const sideBarGroups = {
  talk: ['playground', 'chat'],
  console: ['dashboard', 'savedDashboards', 'tokens', 'logs', 'modelHealth', 'statusPage', 'drawings', 'tasks'],
  admin: [
    'channels',
    'channelHealth',
    'redemptions',
    'plans',
    'users',
    'allOrganisations',
    'profit',
    'payments',
    'allStatements',
    'alerts',
    'webhooks',
    'priceHistory',
    'audit',
    'settings',
  ],
  personal: ['organisations', 'wallet', 'statements', 'myPlans', 'personal'],
} as const;

export type SideBarGroup = keyof typeof sideBarGroups;
export type SideBarLabel = (typeof sideBarGroups)[SideBarGroup][number];

export interface ScreenEntry {
  /** Routes that show this screen. A side bar entry leads to the first. */
  readonly paths: readonly [string, ...string[]];
  /** `<folder>/<Name>`: the component `<Name>Screen` in `src/screens/<folder>/<Name>Screen.tsx`. */
  readonly module: `${string}/${string}`;
  /** `visitor`: everyone, with only the texts of public pages. `anyone`: everyone. The default is after sign-in. */
  readonly access?: 'visitor' | 'anyone';
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
  readonly sideBar?: SideBarLabel;
  /** The side bar shows it only to users with this permission, although other users may open it by its address. */
  readonly shownTo?: Permission;
  /** The side bar shows it only while this flag of the site's status is set. */
  readonly needs?: 'enableDataExport' | 'enableModelHealth' | 'enableStatusPage' | 'enableDrawing' | 'enableTask';
}

/** Every screen of the console: the router, the side bar and the build (`chunks.ts`, `preloads.ts`) read this table. */
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
  { paths: ['/playground'], module: 'playground/Playground', sideBar: 'playground' },
  { paths: ['/chat', '/chat/:id'], module: 'chat/Chat', access: 'anyone', layout: 'plain', sideBar: 'chat' },
  { paths: ['/chat2link'], module: 'chat/ChatRedirect', layout: 'plain' },
  { paths: ['/detail'], module: 'dashboard/Dashboard', sideBar: 'dashboard', needs: 'enableDataExport' },
  {
    paths: ['/dashboards'],
    module: 'dashboards/DashboardList',
    permission: ['USAGE_READ'],
    sideBar: 'savedDashboards',
  },
  {
    paths: ['/dashboards/add', '/dashboards/:id', '/dashboards/:id/edit'],
    module: 'dashboards/SavedDashboard',
    permission: ['USAGE_READ'],
  },
  { paths: ['/graphql/explorer'], module: 'explorer/Explorer', permission: ['USAGE_READ'] },
  { paths: ['/token'], module: 'tokens/TokenList', sideBar: 'tokens' },
  { paths: ['/token/:id', '/token/:id/:tab'], module: 'tokens/Token' },
  {
    paths: ['/model/:name', '/model/:name/:tab'],
    module: 'models/Model',
    permission: ['USAGE_READ', 'CHANNELS_READ', 'PRICES'],
  },
  {
    paths: ['/key/:id/:position', '/key/:id/:position/:tab'],
    module: 'channels/ChannelKey',
    permission: ['CHANNELS_READ'],
  },
  { paths: ['/request/:id', '/request/:id/:tab'], module: 'logs/Request' },
  { paths: ['/log'], module: 'logs/LogList', sideBar: 'logs', shownTo: 'LOGS_READ' },
  {
    paths: ['/model-health'],
    module: 'model-health/ModelHealth',
    access: 'anyone',
    sideBar: 'modelHealth',
    needs: 'enableModelHealth',
  },
  {
    paths: ['/status'],
    module: 'status-page/StatusPage',
    access: 'anyone',
    sideBar: 'statusPage',
    needs: 'enableStatusPage',
  },
  {
    paths: ['/midjourney'],
    module: 'tasks/DrawingList',
    sideBar: 'drawings',
    shownTo: 'TASKS_READ',
    needs: 'enableDrawing',
  },
  { paths: ['/task'], module: 'tasks/CreativeTaskList', sideBar: 'tasks', shownTo: 'TASKS_READ', needs: 'enableTask' },
  {
    paths: ['/channel', '/channel/add'],
    module: 'channels/ChannelList',
    permission: ['CHANNELS_READ'],
    sideBar: 'channels',
  },
  {
    // Older consoles use the second address. It opens the settings.
    paths: ['/channel/:id', '/channel/edit/:id', '/channel/:id/:tab'],
    module: 'channels/Channel',
    permission: ['CHANNELS_READ'],
  },
  {
    paths: ['/channel-health'],
    module: 'channel-health/ChannelHealth',
    permission: ['CHANNELS_READ'],
    sideBar: 'channelHealth',
  },
  { paths: ['/redemption'], module: 'redemptions/RedemptionList', permission: ['CODES'], sideBar: 'redemptions' },
  { paths: ['/plan'], module: 'plans/PlanList', permission: ['PRICES'], sideBar: 'plans' },
  { paths: ['/user'], module: 'users/UserList', permission: ['USERS_READ'], sideBar: 'users' },
  {
    paths: ['/all-organisations'],
    module: 'organisations/AllOrganisations',
    permission: ['USERS_READ'],
    sideBar: 'allOrganisations',
  },
  {
    // Older consoles use the second address. It opens the settings.
    paths: ['/user/:id', '/user/edit/:id', '/user/:id/:tab'],
    module: 'users/User',
    permission: ['USERS_READ'],
  },
  { paths: ['/profit'], module: 'profit/Profit', permission: ['USAGE_READ'], sideBar: 'profit' },
  { paths: ['/payment'], module: 'payments/PaymentList', permission: ['PAYMENTS'], sideBar: 'payments' },
  { paths: ['/statement'], module: 'statements/AllStatementList', permission: ['PAYMENTS'], sideBar: 'allStatements' },
  { paths: ['/alert'], module: 'alerts/AlertList', permission: ['ALERTS'], sideBar: 'alerts' },
  { paths: ['/webhook'], module: 'webhooks/WebhookList', permission: ['WEBHOOKS'], sideBar: 'webhooks' },
  { paths: ['/webhook/delivery'], module: 'webhooks/WebhookDeliveryList', permission: ['WEBHOOKS'] },
  { paths: ['/price-history'], module: 'audit/PriceHistoryList', permission: ['AUDIT'], sideBar: 'priceHistory' },
  { paths: ['/audit'], module: 'audit/AuditList', permission: ['AUDIT'], sideBar: 'audit' },
  {
    paths: ['/setting'],
    module: 'settings/Settings',
    permission: ['OPTIONS', 'PRICES', 'PAYMENTS_SETTINGS'],
    sideBar: 'settings',
  },
  { paths: ['/organisations'], module: 'organisations/Organisations', sideBar: 'organisations' },
  { paths: ['/invitation/:token'], module: 'organisations/Invitation' },
  { paths: ['/organisations/:id', '/organisations/:id/:tab'], module: 'organisations/Organisation' },
  { paths: ['/topup'], module: 'wallet/Wallet', sideBar: 'wallet' },
  { paths: ['/statements'], module: 'statements/StatementList', sideBar: 'statements' },
  { paths: ['/statements/:id'], module: 'statements/Statement' },
  { paths: ['/my-plans'], module: 'plans/MyPlans', sideBar: 'myPlans' },
  // `/user/edit` without an id edits the user's own account.
  { paths: ['/personal', '/user/edit'], module: 'personal/Personal', followsZone: true, sideBar: 'personal' },
];
