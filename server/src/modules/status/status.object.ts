import { ObjectType, Field, Float, Int } from 'type-graphql';
import type { Release } from './release.service.js';
import type { Status } from './status.js';

@ObjectType()
export class ChatLink {
  @Field(() => String)
  name: string;

  @Field(() => String, { description: 'Link with `{address}` and `{key}` to fill in.' })
  link: string;
}

@ObjectType('Release', { description: 'A published version of this software.' })
export class ReleaseObject implements Release {
  @Field(() => String)
  tag: string;

  @Field(() => String, { description: 'Markdown.' })
  notes: string;

  @Field(() => Boolean, { description: 'True for the running version.' })
  current: boolean;
}

@ObjectType('Status', { description: 'Public information about this site.' })
export class StatusObject implements Omit<Status, 'startTime' | 'chats' | 'chatLink' | 'chatLink2'> {
  @Field(() => Date)
  startedAt: Date;

  @Field(() => [ChatLink])
  chatLinks: ChatLink[];

  @Field(() => String)
  version: string;

  @Field(() => Boolean)
  setup: boolean;

  @Field(() => String)
  systemName: string;

  @Field(() => String)
  logo: string;

  @Field(() => String)
  footerHtml: string;

  @Field(() => String)
  serverAddress: string;

  @Field(() => String)
  docsLink: string;

  @Field(() => String)
  topUpLink: string;

  @Field(() => Boolean)
  emailVerification: boolean;

  @Field(() => Boolean)
  turnstileCheck: boolean;

  @Field(() => String)
  turnstileSiteKey: string;

  @Field(() => Boolean)
  githubOauth: boolean;

  @Field(() => String)
  githubClientId: string;

  @Field(() => Boolean)
  linuxdoOauth: boolean;

  @Field(() => String)
  linuxdoClientId: string;

  @Field(() => Boolean)
  oidcEnabled: boolean;

  @Field(() => String)
  oidcClientId: string;

  @Field(() => String)
  oidcAuthorizationEndpoint: string;

  @Field(() => Boolean)
  telegramOauth: boolean;

  @Field(() => String)
  telegramBotName: string;

  @Field(() => Boolean)
  wechatLogin: boolean;

  @Field(() => String)
  wechatQrcode: string;

  @Field(() => Float)
  price: number;

  @Field(() => Int)
  minTopup: number;

  @Field(() => Boolean)
  enableOnlineTopup: boolean;

  @Field(() => Float)
  quotaPerUnit: number;

  @Field(() => Boolean)
  displayInCurrency: boolean;

  @Field(() => Boolean)
  enableBatchUpdate: boolean;

  @Field(() => Boolean)
  enableDrawing: boolean;

  @Field(() => Boolean)
  enableTask: boolean;

  @Field(() => Boolean)
  enableDataExport: boolean;

  @Field(() => String)
  dataExportDefaultTime: string;

  @Field(() => Boolean)
  defaultCollapseSidebar: boolean;

  @Field(() => Boolean)
  mjNotifyEnabled: boolean;

  @Field(() => Boolean)
  demoSiteEnabled: boolean;

  @Field(() => Boolean)
  selfUseModeEnabled: boolean;

  @Field(() => Boolean)
  checkInEnabled: boolean;

  @Field(() => Boolean)
  registerEnabled: boolean;

  @Field(() => Boolean)
  passwordLoginEnabled: boolean;

  @Field(() => Boolean)
  passwordRegisterEnabled: boolean;
}

/** Omits the links that only the oldest clients read; converts times and tables to their GraphQL form. */
export function toStatusObject({
  startTime,
  chats,
  chatLink: _first,
  chatLink2: _second,
  ...same
}: Status): StatusObject {
  return {
    ...same,
    startedAt: new Date(startTime * 1000),
    chatLinks: chats.flatMap((chat) => Object.entries(chat).map(([name, link]) => ({ name, link }))),
  };
}
