import { Arg, Ctx, InputType, Int, Resolver } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { flag, inputFields, int } from '../../platform/graphql/fields.js';
import { PayloadMutation, replayed } from '../../platform/graphql/payload.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { toNewTokenBudget } from '../budgets/budget.object.js';
import { CreateTokenInput, toTokenInput, UpdateTokenInput } from './token-input.object.js';
import { RotateTokenInput } from './token-rotation.object.js';
import { TokenObject, toTokenObject } from './token.object.js';
import type { UserKey, UserKeyService } from './user-keys.service.js';

@InputType('CreateUserTokenInput', { description: 'A new API key of a user. A key without a quota is unlimited.' })
class CreateUserTokenInput extends inputFields({ userId: int('`User.id` of the owner.') }, CreateTokenInput) {}

@InputType('UpdateUserTokenInput', { description: 'Absent fields stay unchanged.' })
class UpdateUserTokenInput extends inputFields(
  { enabled: flag.orNull('Whether the key works. An expired or exhausted one cannot be enabled.') },
  UpdateTokenInput,
) {}

const keyed = {
  token: [() => TokenObject, 'The API key, or that of the first call with the idempotency key.'],
  key: [() => String, 'The text of the key in full, with `sk-`. No later response contains it.'],
  replayed,
} as const;
interface KeyedPayload {
  token: TokenObject;
  key: string;
  replayed: boolean;
}
const toPayload = ({ token, key, ...rest }: UserKey): KeyedPayload => ({
  token: toTokenObject(token),
  key: `sk-${key}`,
  ...rest,
});

/** API keys of other users, for admins and billing systems. */
@Resolver(() => TokenObject)
export class UserKeyResolver {
  constructor(private readonly userKeys: UserKeyService) {}

  @PayloadMutation(keyed, 'Creates an API key of a user below the caller’s role, with its budgets.')
  @Access('users.keys', 'BILLING')
  async createUserToken(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CreateUserTokenInput, { description: 'Owner, name, limits and budgets.' })
    { userId, budgets, idempotencyKey, ...fields }: CreateUserTokenInput,
  ): Promise<KeyedPayload> {
    const given = toTokenInput({ ...fields, quota: fields.quota ?? null });
    const created = await this.userKeys.create(actor, userId, given, budgets?.map(toNewTokenBudget), idempotencyKey);
    return toPayload(created);
  }

  @PayloadMutation(
    { token: [() => TokenObject, 'The key after the change.'] },
    'Changes limits and state of an API key of a user below the caller’s role.',
  )
  @Access('users.keys', 'BILLING')
  async updateUserToken(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpdateUserTokenInput, { description: 'What changes.' })
    { enabled, ...input }: UpdateUserTokenInput,
  ): Promise<{ token: TokenObject }> {
    const status = enabled == null ? undefined : enabled ? ('enabled' as const) : ('disabled' as const);
    const given = omitUndefined({ ...toTokenInput(input), status });
    return { token: toTokenObject(await this.userKeys.update(actor, input.id, given)) };
  }

  @PayloadMutation(keyed, 'Gives an API key of a user below the caller’s role new text. Its limits and usage stay.')
  @Access('users.keys', 'BILLING')
  async rotateUserToken(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => RotateTokenInput, { description: 'The key, and how long its old text works.' })
    { id, overlapUntil, idempotencyKey }: RotateTokenInput,
  ): Promise<KeyedPayload> {
    return toPayload(await this.userKeys.rotate(actor, id, overlapUntil ?? null, idempotencyKey));
  }

  @PayloadMutation(
    { id: [() => Int, 'The id of the deleted key.'] },
    'Deletes an API key of a user below the caller’s role.',
  )
  @Access('users.keys', 'BILLING')
  async revokeUserToken(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Token.id`.' }) id: number,
  ): Promise<{ id: number }> {
    await this.userKeys.revoke(actor, id);
    return { id };
  }
}
