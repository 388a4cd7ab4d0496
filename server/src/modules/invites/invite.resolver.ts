import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import type { InviteService } from './invite.service.js';

@Resolver()
export class InviteResolver {
  constructor(private readonly inviteService: InviteService) {}

  @Access('common')
  @Query(() => String, { description: 'The caller’s invite code; the link is `<origin>/register?aff=<code>`.' })
  inviteCode(@Ctx() { actor }: GraphQLContext): Promise<string> {
    return this.inviteService.code(actor);
  }

  @Access('common')
  @Mutation(() => GraphQLSafeInt, {
    description: 'Transfers invite earnings to the balance and returns the new balance.',
  })
  async transferInviteQuota(
    @Ctx() { actor }: GraphQLContext,
    @Arg('quota', () => GraphQLSafeInt) quota: number,
  ): Promise<number> {
    return (await this.inviteService.transfer(actor, quota)).quota;
  }
}
