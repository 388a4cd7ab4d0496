import { Field, Float, Int, ObjectType } from 'type-graphql';
import { enumType } from '../../platform/graphql/enums.js';
import type { Release } from './release.service.js';
import type { Status } from './status.js';
import { dateOf } from '../../shared/clock.js';

@ObjectType('ChatLink', { description: 'A chat application that users can open with an API key.' })
export class ChatLink {
  @Field(() => String, { description: 'The name of the application.' })
  name: string;

  @Field(() => String, { description: 'URL with the placeholders `{address}` and `{key}`.' })
  link: string;
}

@ObjectType('Release', { description: 'A published version of this software.' })
export class ReleaseObject {
  @Field(() => String, { description: 'The version, such as `v1.2.0`.' })
  tag: string;

  @Field(() => String, { description: 'Markdown.' })
  notes: string;

  @Field(() => Boolean, { description: 'This server runs it.' })
  isCurrent: boolean;
}

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

@ObjectType('Status', { description: 'Public facts about this site.' })
export class StatusObject {
  @Field(() => String, { description: 'The version of this server.' })
  version: string;

  @Field(() => Date, { description: 'When this server process started.' })
  startedAt: Date;

  @Field(() => Boolean, { description: 'The wizard of the first start is done.' })
  isSetUp: boolean;

  @Field(() => String, { description: 'The name of the site, as the console shows it.' })
  systemName: string;

  @Field(() => String, { nullable: true, description: 'URL of an image. Null: the built-in logo.' })
  logo: string | null;

  @Field(() => String, { nullable: true, description: 'Sanitized HTML.' })
  footerHtml: string | null;

  @Field(() => String, { description: 'Base URL of this site, for links in e-mails and for SDKs.' })
  serverAddress: string;

  @Field(() => String, { nullable: true, description: 'Address of the operator’s documentation. Null: none.' })
  docsLink: string | null;

  @Field(() => String, { nullable: true, description: 'A page that sells redemption codes.' })
  topUpLink: string | null;

  @Field(() => [ChatLink], { description: 'Chat applications that the operator offers. Empty: none.' })
  chatLinks: ChatLink[];

  @Field(() => Boolean, { description: 'Registration requires a proven e-mail address.' })
  emailVerification: boolean;

  @Field(() => Boolean, { description: 'Public forms require a Turnstile token.' })
  turnstileCheck: boolean;

  @Field(() => String, { nullable: true, description: 'Null: the bot check is off.' })
  turnstileSiteKey: string | null;

  @Field(() => Boolean, { description: 'Users can sign in with GitHub.' })
  githubOauth: boolean;

  @Field(() => String, { nullable: true, description: 'Null: not set up.' })
  githubClientId: string | null;

  @Field(() => Boolean, { description: 'Users can sign in with linux.do.' })
  linuxdoOauth: boolean;

  @Field(() => String, { nullable: true, description: 'Null: not set up.' })
  linuxdoClientId: string | null;

  @Field(() => Boolean, { description: 'Users can sign in with the OpenID Connect provider of the site.' })
  oidcEnabled: boolean;

  @Field(() => String, { nullable: true, description: 'Null: not set up.' })
  oidcClientId: string | null;

  @Field(() => String, { nullable: true, description: 'Null: not set up.' })
  oidcAuthorizationEndpoint: string | null;

  @Field(() => Boolean, { description: 'Users can sign in with Telegram.' })
  telegramOauth: boolean;

  @Field(() => String, { nullable: true, description: 'Null: not set up.' })
  telegramBotName: string | null;

  @Field(() => Boolean, { description: 'Users can sign in with WeChat.' })
  wechatLogin: boolean;

  @Field(() => String, { nullable: true, description: 'URL of the QR code of the official account.' })
  wechatQrcode: string | null;

  @Field(() => Float, { description: 'Units of the local currency for 1 USD.' })
  price: number;

  @Field(() => Int, { description: 'The least amount of a top-up, in USD.' })
  minTopup: number;

  @Field(() => Boolean, { description: 'A payment gateway is configured.' })
  enableOnlineTopup: boolean;

  @Field(() => Float, { description: 'Quota of 1 USD.' })
  quotaPerUnit: number;

  @Field(() => Boolean, { description: 'Amounts are shown in USD. Otherwise in quota.' })
  displayInCurrency: boolean;

  @Field(() => Boolean, { description: 'The console shows drawings.' })
  enableDrawing: boolean;

  @Field(() => Boolean, { description: 'The console shows creative tasks.' })
  enableTask: boolean;

  @Field(() => Boolean, { description: 'Users see the health of models.' })
  enableModelHealth: boolean;

  @Field(() => Boolean, { description: 'Visitors see it, too.' })
  publicModelHealth: boolean;

  @Field(() => Boolean, { description: 'Everyone sees the status page.' })
  enableStatusPage: boolean;

  @Field(() => Boolean, { description: 'The console shows usage charts.' })
  enableDataExport: boolean;

  @Field(() => DashboardBucketEnum, { description: 'Length of a bucket that charts of the console begin with.' })
  dashboardBucket: Status['dataExportDefaultTime'];

  @Field(() => Boolean, { description: 'The sidebar of the console is collapsed at first.' })
  defaultCollapseSidebar: boolean;

  @Field(() => Boolean, { description: 'Drawing proxies report by callback. Otherwise they are polled.' })
  mjNotifyEnabled: boolean;

  @Field(() => Boolean, { description: 'The console shows that the site is a demo.' })
  demoSiteEnabled: boolean;

  @Field(() => Boolean, { description: 'Models without a price can be called.' })
  selfUseModeEnabled: boolean;

  @Field(() => Boolean, { description: 'Users can claim a reward every day: `checkIn`.' })
  checkInEnabled: boolean;

  @Field(() => Boolean, { description: 'New accounts can be created.' })
  registerEnabled: boolean;

  @Field(() => Boolean, { description: 'Users can sign in with a password.' })
  passwordLoginEnabled: boolean;

  @Field(() => Boolean, { description: 'New accounts can be created with a password.' })
  passwordRegisterEnabled: boolean;
}

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
    startedAt: dateOf(startTime),
    chatLinks: chats.flatMap((chat) => Object.entries(chat).map(([name, link]) => ({ name, link }))),
  };
}
