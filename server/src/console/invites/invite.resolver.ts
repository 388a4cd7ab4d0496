import { Arg, Ctx, Query, Resolver, InputType } from 'type-graphql';
import { inputFields, quota, text } from '../../platform/graphql/fields.js';
import { Access, NotInPanels } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import type { InviteService, Transfer } from './invite.service.js';
import { UserObject } from '../users/user.object.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';

@InputType('TransferInviteQuotaInput', { description: 'An amount to move from the invite earnings to the balance.' })
class TransferInviteQuotaInput extends inputFields({
  quota: quota('At least 1 USD.'),
  idempotencyKey: text(
    'Chosen by the caller, 1 to 128 characters. A call with a key that was used returns the first result.',
  ),
}) {}

@Resolver()
export class InviteResolver {
  constructor(private readonly inviteService: InviteService) {}

  @Access('common')
  @NotInPanels()
  @Query(() => String, { description: 'The caller’s invite code. The link is `<origin>/register?aff=<code>`.' })
  inviteCode(@Ctx() { actor }: GraphQLContext): Promise<string> {
    return this.inviteService.code(actor);
  }

  @Access('common')
  @PayloadMutation(
    {
      user: [() => UserObject, 'As the caller is now.'],
      replayed: [() => Boolean, 'An earlier call with this key moved the quota; this one changed nothing.'],
    },
    'Moves invite earnings to the balance. Safe to retry.',
  )
  transferInviteQuota(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => TransferInviteQuotaInput, { description: 'The amount, and the key of this transfer.' })
    { quota, idempotencyKey }: TransferInviteQuotaInput,
  ): Promise<Transfer> {
    return this.inviteService.transfer(actor, quota, idempotencyKey);
  }
}
