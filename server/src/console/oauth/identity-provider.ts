import type { OptionValues } from '../../options/option.service.js';
import type { User } from '../../billing/accounts/index.js';

/** Providers that redirect the browser back with a code and the state of this server. */
export const redirectProviders = ['github', 'oidc', 'linuxdo'] as const;
export type ProviderName = (typeof redirectProviders)[number];

/** A person's identity at a provider. */
export interface Identity {
  /** An id that the provider never reassigns. */
  readonly id: string;
  /** The id that older consoles stored for the same identity. */
  readonly formerId?: string;
  readonly username?: string;
  readonly displayName?: string;
  /** The e-mail address, only if the provider reports it as verified. */
  readonly email?: string;
}

/** Storage and naming of one provider's accounts. */
export interface Source {
  /** The display name, for example `GitHub`. */
  readonly label: string;
  readonly column: keyof Pick<User, 'githubId' | 'oidcId' | 'wechatId' | 'telegramId' | 'linuxDoId'>;
  /** The prefix of generated names: `github_<number>`. */
  readonly namePrefix: string;
  readonly defaultDisplayName: string;
  enabled(values: OptionValues): boolean;
}

export const sources = {
  github: {
    label: 'GitHub',
    column: 'githubId',
    namePrefix: 'github',
    defaultDisplayName: 'GitHub User',
    enabled: (values) => values.GitHubOAuthEnabled,
  },
  oidc: {
    label: 'OIDC',
    column: 'oidcId',
    namePrefix: 'oidc',
    defaultDisplayName: 'OIDC User',
    enabled: (values) => values['oidc.enabled'],
  },
  linuxdo: {
    label: 'Linux DO',
    column: 'linuxDoId',
    namePrefix: 'linuxdo',
    defaultDisplayName: 'Linux DO User',
    enabled: (values) => values.LinuxDOOAuthEnabled,
  },
  wechat: {
    label: 'WeChat',
    column: 'wechatId',
    namePrefix: 'wechat',
    defaultDisplayName: 'WeChat User',
    enabled: (values) => values.WeChatAuthEnabled,
  },
  telegram: {
    label: 'Telegram',
    column: 'telegramId',
    namePrefix: 'telegram',
    defaultDisplayName: 'Telegram User',
    enabled: (values) => values.TelegramOAuthEnabled,
  },
} as const satisfies Record<string, Source>;

/** A provider that the operator added as a row. Its accounts are in `sign_in_links`. */
export interface RowSource {
  readonly label: string;
  readonly providerId: number;
  readonly namePrefix: string;
  readonly defaultDisplayName: string;
}

/** Where the identity of a provider is stored: in a column of users, or in a link. */
export type IdentitySource = Source | RowSource;
export const isRow = (source: IdentitySource): source is RowSource => 'providerId' in source;

/** Values to verify when the browser returns. */
export interface Proof {
  readonly state: string;
  readonly nonce?: string;
  readonly codeVerifier?: string;
}

/** Query parameters of the redirect back. */
export interface Callback {
  readonly code: string;
  /** The issuer named in the redirect (RFC 9207), if any. */
  readonly issuer?: string;
}

export interface RedirectProvider {
  /** Returns the URL to which the browser is sent, and values to store until it returns. */
  begin(state: string): Promise<{ url: string; proof: Omit<Proof, 'state'> }>;
  /** @throws AppError INVALID_INPUT, UPSTREAM_UNREACHABLE, UPSTREAM_TIMEOUT, UPSTREAM_INVALID_RESPONSE */
  identify(callback: Callback, proof: Proof): Promise<Identity>;
}
