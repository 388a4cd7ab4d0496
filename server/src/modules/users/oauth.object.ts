import { Field, ObjectType, registerEnumType } from 'type-graphql';
import type { OidcEndpoints } from '../oauth/oauth.service.js';

export const SignInProvider = { GITHUB: 'github', OIDC: 'oidc', LINUXDO: 'linuxdo' } as const;
registerEnumType(SignInProvider, { name: 'SignInProvider' });

export const BoundIdentity = { ...SignInProvider, WECHAT: 'wechat', TELEGRAM: 'telegram' } as const;
registerEnumType(BoundIdentity, { name: 'BoundIdentity' });

@ObjectType('SignInStart')
export class SignInStartObject {
  @Field(() => String, { description: 'One-time state that returns with the browser, valid for ten minutes.' })
  state: string;

  @Field(() => String, { description: 'URL to which to send the browser.' })
  url: string;
}

@ObjectType('OidcEndpoints')
export class OidcEndpointsObject implements OidcEndpoints {
  @Field(() => String)
  authorizationEndpoint: string;

  @Field(() => String)
  tokenEndpoint: string;

  @Field(() => String)
  userInfoEndpoint: string;
}
