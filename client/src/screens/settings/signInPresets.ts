import type { AddedProviderFragment } from './addedProviders.generated.js';

export type RowValues = Omit<AddedProviderFragment, '__typename' | 'id' | 'claims' | 'allowedDomains'> & {
  readonly claims: Omit<AddedProviderFragment['claims'], '__typename'>;
};

const openId: RowValues = {
  slug: '',
  name: '',
  icon: '',
  enabled: true,
  issuer: '',
  authorizationEndpoint: '',
  tokenEndpoint: '',
  userInfoEndpoint: '',
  oauthClientId: '',
  scopes: 'openid profile email',
  claims: {
    subject: 'sub',
    username: 'preferred_username',
    name: 'name',
    email: 'email',
    emailVerified: 'email_verified',
  },
};

/** The values with which the form of a new provider begins (addresses as documented by the providers, 2026-11). */
export const signInPresets = {
  google: { ...openId, slug: 'google', name: 'Google', issuer: 'https://accounts.google.com' },
  discord: {
    ...openId,
    slug: 'discord',
    name: 'Discord',
    authorizationEndpoint: 'https://discord.com/oauth2/authorize',
    tokenEndpoint: 'https://discord.com/api/oauth2/token',
    userInfoEndpoint: 'https://discord.com/api/users/@me',
    scopes: 'identify email',
    claims: { subject: 'id', username: 'username', name: 'global_name', email: 'email', emailVerified: 'verified' },
  },
  gitlab: { ...openId, slug: 'gitlab', name: 'GitLab', issuer: 'https://gitlab.com' },
  oidc: openId,
  oauth: {
    ...openId,
    scopes: '',
    claims: { ...openId.claims, subject: 'id', username: 'username', emailVerified: '' },
  },
} satisfies Record<string, RowValues>;
export type Preset = keyof typeof signInPresets;

export type FormField =
  | ('name' | 'slug' | 'issuer' | 'authorizationEndpoint' | 'tokenEndpoint' | 'userInfoEndpoint' | 'scopes')
  | `claims.${keyof RowValues['claims']}`
  | ('domains' | 'icon');

/** The fields that are shown at once, beside client and secret. GitLab has sites of one's own, so its issuer is one. */
export const mainFields: Readonly<Record<Preset, readonly FormField[]>> = {
  google: [],
  discord: [],
  gitlab: ['issuer'],
  oidc: ['name', 'slug', 'issuer'],
  oauth: [
    ...(['name', 'slug', 'authorizationEndpoint', 'tokenEndpoint', 'userInfoEndpoint', 'scopes'] as const),
    'claims.subject',
  ],
};
