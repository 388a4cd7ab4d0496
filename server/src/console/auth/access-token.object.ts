import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { enumType, namesOf } from '../../platform/graphql/enums.js';
import { accessScopes, type AccessScope } from '../../shared/actor.js';
import type { AccessToken } from './access-token.entity.js';
import type { NewAccessToken } from './access-token.service.js';

export const AccessScopeEnum: { readonly [Scope in AccessScope]: Scope } = enumType(
  'AccessScope',
  namesOf(accessScopes),
  'Permissions of an access token, within those of its user.',
  {
    USAGE_READ: 'Read usage and dashboards: of everyone for admins, else the user’s own.',
    LOGS_READ: 'Read log rows: of everyone for admins, else the user’s own.',
    ACCOUNT_READ: 'Read the user’s own account, API keys without their text, orders and tasks.',
    ADMIN_READ: 'Read what admins may read, without secrets.',
    KEYS_READ: 'Read secrets that the user may read: API keys, keys of channels, codes.',
    WRITE:
      'Change what the user may change. Keys that it makes or rotates, and codes that it makes, are in the response.',
  },
);

@ObjectType('AccessToken', { description: 'A credential for programs: send it as `Authorization: Bearer …`.' })
export class AccessTokenObject implements Omit<AccessToken, 'userId' | 'tokenHash'> {
  @Field(() => Int, { description: 'Names the token in `revokeAccessToken`.' })
  id: number;

  @Field(() => String, { description: 'Chosen by the user, such as the name of the program that has it.' })
  name: string;

  @Field(() => [AccessScopeEnum], { description: 'The rights of the token, always within those of its user.' })
  scopes: AccessScope[];

  @Field(() => Date, { description: 'When the token was created.' })
  createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'Accurate to about a minute. Null: not used yet.' })
  lastUsedAt: Date | null;

  @Field(() => Date, { nullable: true, description: 'Null: the token does not expire.' })
  expiresAt: Date | null;
}

@InputType('CreateAccessTokenInput', { description: 'A new access token of the caller.' })
export class CreateAccessTokenInput implements NewAccessToken {
  @Field(() => String, { description: '1 to 64 characters, unique among the caller’s.' })
  name: string;

  @Field(() => [AccessScopeEnum], {
    description: 'The rights of the token, at least one. Give it no more than its program needs.',
  })
  scopes: AccessScope[];

  @Field(() => Date, { nullable: true, description: 'Absent or null: the token does not expire.' })
  expiresAt?: Date | null;
}

@ObjectType('CreateAccessTokenPayload', { description: 'The result of `createAccessToken`.' })
export class CreateAccessTokenPayload {
  @Field(() => AccessTokenObject, { description: 'The new token, without its secret.' })
  accessToken: AccessTokenObject;

  @Field(() => String, { description: 'The credential itself. It is shown only here.' })
  secret: string;
}

@ObjectType('RevokeAccessTokenPayload', { description: 'The result of `revokeAccessToken`.' })
export class RevokeAccessTokenPayload {
  @Field(() => AccessTokenObject, { description: 'As it was.' })
  accessToken: AccessTokenObject;
}
