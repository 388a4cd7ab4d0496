import type { en } from '../../i18n/en/en.js';
import { flag, secret, text, type Setting } from './settingKinds.js';

/** A sign-in provider: an expandable row with its switch. */
export interface Provider {
  readonly id: keyof typeof en.settings.providers;
  readonly enabled: Setting;
  readonly settings: readonly Setting[];
}

export const providers: readonly Provider[] = [
  {
    id: 'github',
    enabled: flag('GitHubOAuthEnabled', 'providerEnabled'),
    settings: [text('GitHubClientId', 'clientId'), secret('GitHubClientSecret', 'clientSecret')],
  },
  {
    id: 'oidc',
    enabled: flag('oidc.enabled', 'providerEnabled'),
    settings: [
      text('oidc.well_known', 'wellKnown', 'https://id.example.com/.well-known/openid-configuration'),
      text('oidc.client_id', 'clientId'),
      secret('oidc.client_secret', 'clientSecret'),
      text('oidc.authorization_endpoint', 'authorizationEndpoint'),
      text('oidc.token_endpoint', 'tokenEndpoint'),
      text('oidc.user_info_endpoint', 'userInfoEndpoint'),
    ],
  },
  {
    id: 'linuxdo',
    enabled: flag('LinuxDOOAuthEnabled', 'providerEnabled'),
    settings: [text('LinuxDOClientId', 'clientId'), secret('LinuxDOClientSecret', 'clientSecret')],
  },
  {
    id: 'wechat',
    enabled: flag('WeChatAuthEnabled', 'providerEnabled'),
    settings: [
      text('WeChatServerAddress', 'wechatServer', 'https://wechat.example.com'),
      secret('WeChatServerToken', 'wechatToken'),
      text('WeChatAccountQRCodeImageURL', 'wechatQrCode', 'https://example.com/code.png'),
    ],
  },
  {
    id: 'telegram',
    enabled: flag('TelegramOAuthEnabled', 'providerEnabled'),
    settings: [secret('TelegramBotToken', 'telegramToken'), text('TelegramBotName', 'telegramName')],
  },
];
