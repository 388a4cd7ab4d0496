import type { OptionValues } from '../options/option.service.js';
import type { User } from '../users/user.entity.js';

/** Providers whose pages send the browser back with a code and our state. */
export const redirectProviders = ['github', 'oidc', 'linuxdo'] as const;
export type ProviderName = (typeof redirectProviders)[number];

/** Who somebody is, in the words of a provider. */
export interface Identity {
  /** Never given to anybody else there. */
  readonly id: string;
  /** A name under which older consoles kept the same identity. */
  readonly formerId?: string;
  readonly username?: string;
  readonly displayName?: string;
  /** Only when the provider says that it was proven. */
  readonly email?: string;
}

/** How accounts of a provider are kept and called here. */
export interface Source {
  /** For people: `GitHub`. */
  readonly label: string;
  readonly column: keyof Pick<User, 'githubId' | 'oidcId' | 'wechatId' | 'telegramId' | 'linuxDoId'>;
  /** Generated names are `github_<number>`. */
  readonly namePrefix: string;
  readonly defaultDisplayName: string;
  enabled(values: OptionValues): boolean;
}

export const sources = {
  github: {
    ...{ label: 'GitHub', column: 'githubId', namePrefix: 'github', defaultDisplayName: 'GitHub User' },
    enabled: (values) => values.GitHubOAuthEnabled,
  },
  oidc: {
    ...{ label: 'OIDC', column: 'oidcId', namePrefix: 'oidc', defaultDisplayName: 'OIDC User' },
    enabled: (values) => values['oidc.enabled'],
  },
  linuxdo: {
    ...{ label: 'Linux DO', column: 'linuxDoId', namePrefix: 'linuxdo', defaultDisplayName: 'Linux DO User' },
    enabled: (values) => values.LinuxDOOAuthEnabled,
  },
  wechat: {
    ...{ label: 'WeChat', column: 'wechatId', namePrefix: 'wechat', defaultDisplayName: 'WeChat User' },
    enabled: (values) => values.WeChatAuthEnabled,
  },
  telegram: {
    ...{ label: 'Telegram', column: 'telegramId', namePrefix: 'telegram', defaultDisplayName: 'Telegram User' },
    enabled: (values) => values.TelegramOAuthEnabled,
  },
} as const satisfies Record<string, Source>;

/** What a sign-in under way has to prove when the browser comes back. */
export interface Proof {
  readonly state: string;
  readonly nonce?: string;
  readonly codeVerifier?: string;
}

/** What came back. */
export interface Callback {
  readonly code: string;
  /** Who says he sent the browser back (RFC 9207), when he does. */
  readonly issuer?: string;
}

export interface RedirectProvider {
  /** Where the browser goes, and what is to be remembered until it comes back. */
  begin(state: string): Promise<{ url: string; proof: Omit<Proof, 'state'> }>;
  /** @throws AppError INVALID_INPUT, UPSTREAM_UNREACHABLE, UPSTREAM_TIMEOUT, UPSTREAM_INVALID_RESPONSE */
  identify(callback: Callback, proof: Proof): Promise<Identity>;
}
