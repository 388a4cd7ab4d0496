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

@InputType('BeginSignInInput')
export class BeginSignInInput {
  @Field(() => SignInProviderEnum)
  provider: ProviderName;

  @Field(() => String, { nullable: true, description: 'Of the user who invited the caller.' })
  inviteCode?: string | null;
}

@ObjectType('BeginSignInPayload')
export class BeginSignInPayload {
  @Field(() => String, { description: 'The provider returns it with the browser. Valid once, for ten minutes.' })
  state: string;

  @Field(() => String, { description: 'The address at the provider to open.' })
  url: string;
}

@InputType('BindEmailInput')
export class BindEmailInput {
  @Field(() => String)
  email: string;

  @Field(() => String, { description: 'The code that `sendEmailCode` sent to the address.' })
  code: string;
}

export
@ObjectType('OidcEndpoints', { description: 'Addresses of an OpenID Connect provider.' })
class OidcEndpointsObject implements OidcEndpoints {
  @Field(() => String)
  authorizationEndpoint: string;

  @Field(() => String)
  tokenEndpoint: string;

  @Field(() => String)
  userInfoEndpoint: string;
}
