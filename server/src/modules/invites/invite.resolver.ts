import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { TransferInviteQuotaInput, TransferInviteQuotaPayload } from './invite.object.js';
import type { InviteService, Transfer } from './invite.service.js';

@Resolver()
export class InviteResolver {
  constructor(private readonly inviteService: InviteService) {}

  @Access('common')
  @Query(() => String, { description: 'The caller’s invite code. The link is `<origin>/register?aff=<code>`.' })
  inviteCode(@Ctx() { actor }: GraphQLContext): Promise<string> {
    return this.inviteService.code(actor);
  }

  @Access('common')
  @Mutation(() => TransferInviteQuotaPayload, { description: 'Moves invite earnings to the balance. Safe to retry.' })
  transferInviteQuota(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => TransferInviteQuotaInput) { quota, idempotencyKey }: TransferInviteQuotaInput,
  ): Promise<Transfer> {
    return this.inviteService.transfer(actor, quota, idempotencyKey);
  }
}
