import { InputType, ObjectType } from 'type-graphql';
import { fields, inputFields, of, text } from '../../platform/graphql/fields.js';
import { enumType } from '../../platform/graphql/enums.js';
import type { OidcEndpoints } from './oidc-provider.js';
import type { ProviderName } from './identity-provider.js';

const SignInProviderEnum = enumType(
  'SignInProvider',
  { GITHUB: 'github', OIDC: 'oidc', LINUXDO: 'linuxdo' } satisfies Record<string, ProviderName>,
  'Providers to which the browser is sent for a sign-in.',
  {
    GITHUB: 'With an account at GitHub.',
    OIDC: 'At the OpenID Connect provider that the operator has set up.',
    LINUXDO: 'With an account at the forum linux.do.',
  },
);

@InputType('BeginSignInInput', { description: 'The provider to sign in at.' })
export class BeginSignInInput extends inputFields({
  provider: of<ProviderName>(() => SignInProviderEnum, 'The provider. `Status` says which ones the site has set up.'),
  inviteCode: text.orNull('Of the user who invited the caller.'),
}) {}

@ObjectType('BeginSignInPayload', { description: 'The result of `beginSignIn`.' })
export class BeginSignInPayload extends fields({
  state: text('The provider returns it with the browser. Valid once, for ten minutes.'),
  url: text('The address at the provider to open.'),
}) {}

@InputType('BindEmailInput', { description: 'An e-mail address, and the proof that it is the caller’s.' })
export class BindEmailInput extends inputFields({
  email: text('The new address. No other user may have it.'),
  code: text('The code that `sendEmailCode` sent to the address.'),
}) {}

export
@ObjectType('OidcEndpoints', { description: 'Addresses of an OpenID Connect provider.' })
class OidcEndpointsObject
  extends fields({
    authorizationEndpoint: text('Where the browser of the user is sent.'),
    tokenEndpoint: text('Where the server exchanges the code of the sign-in.'),
    userInfoEndpoint: text('Where the server reads the id of the user.'),
  })
  implements OidcEndpoints {}
