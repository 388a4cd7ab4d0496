import { Field, InputType, ObjectType } from 'type-graphql';
import { enumType } from '../../platform/graphql/enums.js';
import type { OidcEndpoints } from './oidc-provider.js';
import type { ProviderName } from './identity-provider.js';

const SignInProviderEnum = enumType(
  'SignInProvider',
  { GITHUB: 'github', OIDC: 'oidc', LINUXDO: 'linuxdo' } satisfies Record<string, ProviderName>,
  'Providers to which the browser is sent for a sign-in.',
  {
    GITHUB: 'GitHub.',
    OIDC: 'The OpenID Connect provider that the operator has set up.',
    LINUXDO: 'The forum linux.do.',
  },
);

@InputType('BeginSignInInput', { description: 'The provider to sign in at.' })
export class BeginSignInInput {
  @Field(() => SignInProviderEnum, { description: 'The provider. `Status` says which ones the site has set up.' })
  provider: ProviderName;

  @Field(() => String, { nullable: true, description: 'Of the user who invited the caller.' })
  inviteCode?: string | null;
}

@ObjectType('BeginSignInPayload', { description: 'The result of `beginSignIn`.' })
export class BeginSignInPayload {
  @Field(() => String, { description: 'The provider returns it with the browser. Valid once, for ten minutes.' })
  state: string;

  @Field(() => String, { description: 'The address at the provider to open.' })
  url: string;
}

@InputType('BindEmailInput', { description: 'An e-mail address, and the proof that it is the caller’s.' })
export class BindEmailInput {
  @Field(() => String, { description: 'The new address. No other user may have it.' })
  email: string;

  @Field(() => String, { description: 'The code that `sendEmailCode` sent to the address.' })
  code: string;
}

export
@ObjectType('OidcEndpoints', { description: 'Addresses of an OpenID Connect provider.' })
class OidcEndpointsObject implements OidcEndpoints {
  @Field(() => String, { description: 'Where the browser of the user is sent.' })
  authorizationEndpoint: string;

  @Field(() => String, { description: 'Where the server exchanges the code of the sign-in.' })
  tokenEndpoint: string;

  @Field(() => String, { description: 'Where the server reads the id of the user.' })
  userInfoEndpoint: string;
}
