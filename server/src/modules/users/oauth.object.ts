import { Field, ObjectType, registerEnumType } from 'type-graphql';
import type { OidcEndpoints } from '../oauth/oauth.service.js';

export const SignInProvider = { GITHUB: 'github', OIDC: 'oidc', LINUXDO: 'linuxdo' } as const;
registerEnumType(SignInProvider, { name: 'SignInProvider' });

export const BoundIdentity = { ...SignInProvider, WECHAT: 'wechat', TELEGRAM: 'telegram' } as const;
registerEnumType(BoundIdentity, { name: 'BoundIdentity' });

@ObjectType('SignInStart')
export class SignInStartObject {
  @Field(() => String, { description: 'Comes back with the browser, once, within ten minutes.' })
  state: string;

  @Field(() => String, { description: 'Where the browser goes.' })
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
