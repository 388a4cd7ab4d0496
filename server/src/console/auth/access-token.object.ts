import { Field, InputType, ObjectType } from 'type-graphql';
import { fields, inputFields, int, moment, of, text } from '../../platform/graphql/fields.js';
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
    BILLING:
      'Create users and their API keys, whose text is in the response, change and revoke these keys, move balances, and disable and enable users. Also over REST.',
    WRITE:
      'Change what the user may change. Keys that it makes or rotates, and codes that it makes, are in the response.',
  },
);

@ObjectType('AccessToken', { description: 'A credential for programs: send it as `Authorization: Bearer …`.' })
export class AccessTokenObject
  extends fields({
    id: int('Names the token in `revokeAccessToken`.'),
    name: text('Chosen by the user, such as the name of the program that has it.'),
    scopes: of<AccessScope[]>(() => [AccessScopeEnum], 'The rights of the token, always within those of its user.'),
    createdAt: moment('When the token was created.'),
    lastUsedAt: moment.orNull('Accurate to about a minute. Null: not used yet.'),
    expiresAt: moment.orNull('Null: the token does not expire.'),
  })
  implements Omit<AccessToken, 'userId' | 'tokenHash'> {}

@InputType('CreateAccessTokenInput', { description: 'A new access token of the caller.' })
export class CreateAccessTokenInput
  extends inputFields({
    name: text('1 to 64 characters, unique among the caller’s.'),
    scopes: of<AccessScope[]>(
      () => [AccessScopeEnum],
      'The rights of the token, at least one. ADMIN_READ is refused for callers without any permission.',
    ),
    expiresAt: moment.orNull('Absent or null: the token does not expire.'),
  })
  implements NewAccessToken {}

@ObjectType('CreateAccessTokenPayload', { description: 'The result of `createAccessToken`.' })
export class CreateAccessTokenPayload extends fields({
  accessToken: of<AccessTokenObject>(() => AccessTokenObject, 'The new token, without its secret.'),
  secret: text('The credential itself. It is shown only here.'),
}) {}

@ObjectType('RevokeAccessTokenPayload', { description: 'The result of `revokeAccessToken`.' })
export class RevokeAccessTokenPayload {
  @Field(() => AccessTokenObject, { description: 'As it was.' })
  accessToken: AccessTokenObject;
}
