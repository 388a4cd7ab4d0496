import { ObjectType } from 'type-graphql';
import { fields, flag, float, int, moment, of, text } from '../../platform/graphql/fields.js';
import { enumType } from '../../platform/graphql/enums.js';
import { OfferedSignInProviderObject, toOffered } from '../oauth/sign-in-provider.object.js';
import type { Release } from './release.service.js';
import type { QuotaDisplayType, Status } from './status.js';
import { dateOf } from '../../shared/clock.js';

@ObjectType('ChatLink', { description: 'A chat application that users can open with an API key.' })
export class ChatLink extends fields({
  name: text('The name of the application.'),
  link: text('URL with the placeholders `{address}` and `{key}`.'),
}) {}

@ObjectType('Release', { description: 'A published version of this software.' })
export class ReleaseObject extends fields({
  tag: text('The version, such as `v1.2.0`.'),
  notes: text('Markdown.'),
  isCurrent: flag('This server runs it.'),
}) {}

export const toReleaseObject = ({ current, ...release }: Release): ReleaseObject => ({
  ...release,
  isCurrent: current,
});

const DashboardBucketEnum = enumType(
  'DashboardBucket',
  { HOUR: 'hour', DAY: 'day', WEEK: 'week' } satisfies Record<string, Status['dataExportDefaultTime']>,
  'Initial length of a bucket in the charts of the console.',
  {
    HOUR: 'One hour.',
    DAY: 'One day.',
    WEEK: 'One week.',
  },
);

const QuotaDisplayTypeEnum = enumType(
  'QuotaDisplayType',
  { USD: 'USD', CNY: 'CNY', CUSTOM: 'CUSTOM', TOKENS: 'TOKENS' } satisfies Record<QuotaDisplayType, QuotaDisplayType>,
  'How amounts are shown.',
  {
    USD: 'In US dollars.',
    CNY: 'In yuan, at `usdExchangeRate`.',
    CUSTOM: 'In the own currency of the site, at `customCurrencyExchangeRate`.',
    TOKENS: 'As quota.',
  },
);

@ObjectType('Status', { description: 'Public facts about this site.' })
export class StatusObject extends fields({
  version: text('The version of this server.'),
  startedAt: moment('When this server process started.'),
  isSetUp: flag('The wizard of the first start is done.'),
  systemName: text('The name of the site, as the console shows it.'),
  logo: text.orNull('URL of an image. Null: the built-in logo.'),
  footerHtml: text.orNull('Sanitized HTML.'),
  serverAddress: text('Base URL of this site, for links in e-mails and for SDKs.'),
  docsLink: text.orNull('Address of the operator’s documentation. Null: none.'),
  topUpLink: text.orNull('A page that sells redemption codes.'),
  chatLinks: of<ChatLink[]>(() => [ChatLink], 'Chat applications that the operator offers. Empty: none.'),
  emailVerification: flag('Registration requires a proven e-mail address.'),
  turnstileCheck: flag('Public forms require a Turnstile token.'),
  turnstileSiteKey: text.orNull('Null: the bot check is off.'),
  githubOauth: flag('Users can sign in with GitHub.'),
  githubClientId: text.orNull('Null: not set up.'),
  linuxdoOauth: flag('Users can sign in with linux.do.'),
  linuxdoClientId: text.orNull('Null: not set up.'),
  oidcEnabled: flag('Users can sign in with the OpenID Connect provider of the site.'),
  oidcClientId: text.orNull('Null: not set up.'),
  oidcAuthorizationEndpoint: text.orNull('Null: not set up.'),
  signInProviders: of<OfferedSignInProviderObject[]>(
    () => [OfferedSignInProviderObject],
    'The sign-in providers that the operator added, in their order.',
  ),
  telegramOauth: flag('Users can sign in with Telegram.'),
  telegramBotName: text.orNull('Null: not set up.'),
  wechatLogin: flag('Users can sign in with WeChat.'),
  wechatQrcode: text.orNull('URL of the QR code of the official account.'),
  price: float('Units of the local currency for 1 USD.'),
  minTopup: int('The least amount of a top-up, in USD.'),
  enableOnlineTopup: flag('A payment gateway is configured.'),
  quotaPerUnit: float('Quota of 1 USD.'),
  displayInCurrency: flag('Amounts are shown in a currency. Otherwise in quota.'),
  quotaDisplayType: of<QuotaDisplayType>(
    () => QuotaDisplayTypeEnum,
    'How the console shows amounts to users who chose no currency. Amounts of this API are in USD or quota as ever.',
  ),
  usdExchangeRate: float('CNY for 1 USD, for the display.'),
  customCurrencySymbol: text('Symbol of the own currency of the site.'),
  customCurrencyExchangeRate: float('Units of the own currency of the site for 1 USD.'),
  enableDrawing: flag('The console shows drawings.'),
  enableTask: flag('The console shows creative tasks.'),
  enableModelHealth: flag('Users see the health of models.'),
  publicModelHealth: flag('Visitors see it, too.'),
  enableStatusPage: flag('Everyone sees the status page.'),
  enableDataExport: flag('The console shows usage charts.'),
  dashboardBucket: of<Status['dataExportDefaultTime']>(
    () => DashboardBucketEnum,
    'Length of a bucket that charts of the console begin with.',
  ),
  defaultCollapseSidebar: flag('The sidebar of the console is collapsed at first.'),
  mjNotifyEnabled: flag('Drawing proxies report by callback. Otherwise they are polled.'),
  demoSiteEnabled: flag('The console shows that the site is a demo.'),
  selfUseModeEnabled: flag('Models without a price can be called.'),
  checkInEnabled: flag('Users can claim a reward every day: `checkIn`.'),
  organizationCreationEnabled: flag('Users can create organisations.'),
  registerEnabled: flag('New accounts can be created.'),
  passwordLoginEnabled: flag('Users can sign in with a password.'),
  passwordRegisterEnabled: flag('New accounts can be created with a password.'),
}) {}

/** Converts the status without the links that only the oldest clients read. Empty texts become null. */
export function toStatusObject({
  startTime,
  chats,
  setup,
  dataExportDefaultTime,
  enableBatchUpdate: _,
  chatLink: _first,
  chatLink2: _second,
  ...same
}: Status): StatusObject {
  return {
    ...same,
    isSetUp: setup,
    dashboardBucket: dataExportDefaultTime,
    logo: same.logo || null,
    footerHtml: same.footerHtml || null,
    docsLink: same.docsLink || null,
    topUpLink: same.topUpLink || null,
    turnstileSiteKey: same.turnstileSiteKey || null,
    githubClientId: same.githubClientId || null,
    linuxdoClientId: same.linuxdoClientId || null,
    oidcClientId: same.oidcClientId || null,
    oidcAuthorizationEndpoint: same.oidcAuthorizationEndpoint || null,
    telegramBotName: same.telegramBotName || null,
    wechatQrcode: same.wechatQrcode || null,
    signInProviders: same.signInProviders.map(toOffered),
    startedAt: dateOf(startTime),
    chatLinks: chats.flatMap((chat) => Object.entries(chat).map(([name, link]) => ({ name, link }))),
  };
}
