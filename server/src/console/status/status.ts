import { siteAddress } from '../../shared/site-address.js';
import { paymentProviders } from '../../billing/payments/index.js';
import type { OptionValues } from '../../options/option.service.js';

export type QuotaDisplayType = OptionValues['general_setting.quota_display_type'] | 'TOKENS';

/** Public facts about the site (docs/reference/rest/public.md#status): settings in their native types, never null. */
export interface Status {
  readonly version: string;
  /** Unix seconds. */
  readonly startTime: number;
  readonly setup: boolean;
  readonly systemName: string;
  readonly logo: string;
  readonly footerHtml: string;
  readonly serverAddress: string;
  readonly docsLink: string;
  readonly topUpLink: string;
  readonly emailVerification: boolean;
  readonly turnstileCheck: boolean;
  readonly turnstileSiteKey: string;
  readonly githubOauth: boolean;
  readonly githubClientId: string;
  readonly linuxdoOauth: boolean;
  readonly linuxdoClientId: string;
  readonly oidcEnabled: boolean;
  readonly oidcClientId: string;
  readonly oidcAuthorizationEndpoint: string;
  /** Providers that root added, in their order. An empty `icon`: none. */
  readonly signInProviders: ReadonlyArray<Readonly<Record<'slug' | 'name' | 'icon', string>>>;
  readonly telegramOauth: boolean;
  readonly telegramBotName: string;
  readonly wechatLogin: boolean;
  readonly wechatQrcode: string;
  /** Units of the local currency per USD. */
  readonly price: number;
  readonly minTopup: number;
  readonly enableOnlineTopup: boolean;
  readonly quotaPerUnit: number;
  readonly displayInCurrency: boolean;
  /** The names and values of new-api. */
  readonly quotaDisplayType: QuotaDisplayType;
  readonly usdExchangeRate: number;
  readonly customCurrencySymbol: string;
  readonly customCurrencyExchangeRate: number;
  readonly enableBatchUpdate: boolean;
  readonly enableDrawing: boolean;
  readonly enableTask: boolean;
  readonly enableDataExport: boolean;
  readonly enableModelHealth: boolean;
  readonly publicModelHealth: boolean;
  readonly enableStatusPage: boolean;
  readonly dataExportDefaultTime: string;
  readonly defaultCollapseSidebar: boolean;
  readonly mjNotifyEnabled: boolean;
  readonly chats: ReadonlyArray<Readonly<Record<string, string>>>;
  readonly demoSiteEnabled: boolean;
  readonly selfUseModeEnabled: boolean;
  readonly checkInEnabled: boolean;
  readonly organizationCreationEnabled: boolean;
  /** This text is always empty. Only the oldest clients read it. */
  readonly chatLink: string;
  readonly chatLink2: string;
  readonly registerEnabled: boolean;
  readonly passwordLoginEnabled: boolean;
  readonly passwordRegisterEnabled: boolean;
}

export function toStatus(
  options: OptionValues,
  facts: Pick<Status, 'version' | 'startTime' | 'setup' | 'signInProviders'>,
): Status {
  return {
    ...facts,
    systemName: options.SystemName,
    logo: options.Logo,
    footerHtml: options.Footer,
    serverAddress: siteAddress(options.ServerAddress),
    docsLink: options['general_setting.docs_link'],
    topUpLink: options.TopUpLink,
    emailVerification: options.EmailVerificationEnabled,
    turnstileCheck: options.TurnstileCheckEnabled,
    turnstileSiteKey: options.TurnstileSiteKey,
    githubOauth: options.GitHubOAuthEnabled,
    githubClientId: options.GitHubClientId,
    linuxdoOauth: options.LinuxDOOAuthEnabled,
    linuxdoClientId: options.LinuxDOClientId,
    oidcEnabled: options['oidc.enabled'],
    oidcClientId: options['oidc.client_id'],
    oidcAuthorizationEndpoint: options['oidc.authorization_endpoint'],
    telegramOauth: options.TelegramOAuthEnabled,
    telegramBotName: options.TelegramBotName,
    wechatLogin: options.WeChatAuthEnabled,
    wechatQrcode: options.WeChatAccountQRCodeImageURL,
    price: options.Price,
    minTopup: options.MinTopUp,
    enableOnlineTopup: paymentProviders.some((provider) => provider.isConfigured(options)),
    quotaPerUnit: options.QuotaPerUnit,
    displayInCurrency: options.DisplayInCurrencyEnabled,
    quotaDisplayType: options.DisplayInCurrencyEnabled ? options['general_setting.quota_display_type'] : 'TOKENS',
    usdExchangeRate: options.USDExchangeRate,
    customCurrencySymbol: options['general_setting.custom_currency_symbol'] || '¤',
    customCurrencyExchangeRate: options['general_setting.custom_currency_exchange_rate'],
    // Calls that arrive together always share a transaction, so there is no delayed batch to enable.
    enableBatchUpdate: false,
    enableDrawing: options.DrawingEnabled,
    enableTask: options.TaskEnabled,
    enableDataExport: options.DataExportEnabled,
    enableModelHealth: options['model_health.access'] !== 'off',
    publicModelHealth: options['model_health.access'] === 'public',
    enableStatusPage: options['status_page.enabled'],
    dataExportDefaultTime: options.DataExportDefaultTime,
    defaultCollapseSidebar: options.DefaultCollapseSidebar,
    mjNotifyEnabled: options.MjNotifyEnabled,
    chats: options.Chats,
    demoSiteEnabled: options.DemoSiteEnabled,
    selfUseModeEnabled: options.SelfUseModeEnabled,
    checkInEnabled: options.CheckInEnabled,
    organizationCreationEnabled: options.OrganizationCreationEnabled,
    chatLink: '',
    chatLink2: '',
    registerEnabled: options.RegisterEnabled,
    passwordLoginEnabled: options.PasswordLoginEnabled,
    passwordRegisterEnabled: options.PasswordRegisterEnabled,
  };
}
