import { InputType, ObjectType } from 'type-graphql';
import { fields, flag, inputFields, int, moment, nullable, of, text, texts } from '../../platform/graphql/fields.js';
import { omitNullish } from '../../platform/graphql/nullable.js';
import { pick } from '../../shared/snake-case.js';
import type { SignInProvider } from './sign-in-provider.entity.js';
import type { ProviderInput } from './sign-in-provider.service.js';

@ObjectType('OfferedSignInProvider', { description: 'A sign-in provider that the operator added.' })
export class OfferedSignInProviderObject extends fields({
  slug: text('Names the provider in `beginProviderSignIn`, and in the address to which it redirects.'),
  name: text('The text of its button.'),
  icon: text.orNull('URL of an image. Null: none.'),
}) {}

export const toOffered = ({
  slug,
  name,
  icon,
}: Readonly<Pick<SignInProvider, 'slug' | 'name' | 'icon'>>): OfferedSignInProviderObject => ({
  slug,
  name,
  icon: icon || null,
});

@ObjectType('ProfileClaims', {
  description: 'Names of the members of a profile that a provider returns. Empty: it has none.',
})
class ProfileClaimsObject extends fields({
  subject: text('The id, which the provider never gives to another person: `sub` in OpenID Connect.'),
  username: text('The name for a new account.'),
  name: text('The display name.'),
  email: text('The e-mail address.'),
  emailVerified: text('Whether the provider has verified the address. Addresses without it are not used.'),
}) {}

@ObjectType('AddedSignInProvider', { description: 'A sign-in provider with its settings, without its secret.' })
export class SignInProviderObject extends fields({
  id: int('Names the provider in mutations.'),
  slug: text(
    'Part of the redirect address `<ServerAddress>/oauth/<slug>`, which the provider must know. It never changes.',
  ),
  name: text('The text of its button.'),
  icon: text('URL of an image. Empty: none.'),
  enabled: flag('Visitors see its button.'),
  issuer: text('The issuer of an OpenID Connect provider. Empty: OAuth 2 with the three addresses.'),
  authorizationEndpoint: text('Without an issuer: where the browser is sent.'),
  tokenEndpoint: text('Without an issuer: where the code is exchanged.'),
  userInfoEndpoint: text('Without an issuer: where the profile is read.'),
  oauthClientId: text('The client of this site there.'),
  scopes: text('Separated by spaces.'),
  claims: of<ProfileClaimsObject>(() => ProfileClaimsObject, 'Names of the members of a profile.'),
  allowedDomains: texts('Only people with a verified address in one of these may sign in. Empty: all.'),
  createdAt: moment('When it was added.'),
}) {}

export const toProviderObject = (provider: SignInProvider): SignInProviderObject =>
  pick(provider, [
    ...(['id', 'slug', 'name', 'icon', 'enabled', 'issuer', 'authorizationEndpoint', 'tokenEndpoint'] as const),
    ...(['userInfoEndpoint', 'oauthClientId', 'scopes', 'claims', 'allowedDomains', 'createdAt'] as const),
  ]);

@InputType('ProfileClaimsInput', { description: 'Names of the members of a profile. Empty: it has none.' })
class ProfileClaimsInput extends inputFields({
  subject: text('Such as `sub` or `id`.'),
  username: text('Such as `preferred_username`.'),
  name: text('Such as `name`.'),
  email: text('Such as `email`.'),
  emailVerified: text('Such as `email_verified`.'),
}) {}

const providerFields = {
  icon: text.orNull('URL of an image.'),
  enabled: flag.orNull('Default: true.'),
  issuer: text.orNull('The issuer of an OpenID Connect provider, such as `https://accounts.google.com`.'),
  authorizationEndpoint: text.orNull('Without an issuer.'),
  tokenEndpoint: text.orNull('Without an issuer.'),
  userInfoEndpoint: text.orNull('Without an issuer.'),
  clientSecret: text.orNull('Stored encrypted and never shown. Absent or empty in a change: it stays.'),
  scopes: text.orNull('Separated by spaces. Default: `openid profile email`.'),
  claims: nullable<ProfileClaimsInput>(() => ProfileClaimsInput, 'Default: those of OpenID Connect.'),
  allowedDomains: texts.orNull('Such as `example.com`. Default: all.'),
};

@InputType('CreateSignInProviderInput', { description: 'A new sign-in provider: an issuer, or three addresses.' })
export class CreateSignInProviderInput extends inputFields({
  slug: text('2 to 32 lower-case letters, digits and hyphens.'),
  name: text('The text of its button, 1 to 50 characters.'),
  oauthClientId: text('The client of this site there.'),
  ...providerFields,
}) {}

@InputType('UpdateSignInProviderInput', { description: 'A change of a sign-in provider. Absent fields stay.' })
export class UpdateSignInProviderInput extends inputFields({
  id: int('`AddedSignInProvider.id`.'),
  name: text.orNull('The text of its button.'),
  oauthClientId: text.orNull('The client of this site there.'),
  ...providerFields,
}) {}

export const toProviderInput = (
  input: Omit<UpdateSignInProviderInput, 'id'> | CreateSignInProviderInput,
): Partial<ProviderInput> => omitNullish<ProviderInput>(input);

@InputType('BeginProviderSignInInput', { description: 'The provider to sign in at.' })
export class BeginProviderSignInInput extends inputFields({
  slug: text('`OfferedSignInProvider.slug`.'),
  inviteCode: text.orNull('Of the user who invited the caller.'),
}) {}
