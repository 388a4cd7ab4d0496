import { Arg, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import type { OwnSession, OwnSessionsService } from './own-sessions.service.js';
import { SessionObject } from './session.object.js';

@Resolver(() => SessionObject)
export class SessionResolver {
  constructor(private readonly ownSessions: OwnSessionsService) {}

  @Access('common')
  @Query(() => [SessionObject], { description: 'The caller’s sessions, most recently used first.' })
  mySessions(@Ctx() { actor }: GraphQLContext): Promise<OwnSession[]> {
    return this.ownSessions.list(actor);
  }

  @Access('common')
  @Mutation(() => Boolean, { description: 'Ends one of the caller’s sessions.' })
  async revokeSession(@Ctx() { actor }: GraphQLContext, @Arg('id', () => String) id: string): Promise<boolean> {
    await this.ownSessions.revoke(actor, id);
    return true;
  }

  @Access('common')
  @Mutation(() => Int, { description: 'Ends all other sessions of the caller. Returns the number of ended sessions.' })
  revokeOtherSessions(@Ctx() { actor }: GraphQLContext): Promise<number> {
    return this.ownSessions.revokeOthers(actor);
  }
}
