import { Arg, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import type { OwnSession, OwnSessionsService } from './own-sessions.service.js';
import { SessionObject } from './session.object.js';

@Resolver(() => SessionObject)
export class SessionResolver {
  constructor(private readonly ownSessions: OwnSessionsService) {}

  @Access('common')
  @Query(() => [SessionObject], { description: 'Where the caller is signed in, the last seen first.' })
  mySessions(@Ctx() { actor }: GraphQLContext): Promise<OwnSession[]> {
    return this.ownSessions.list(actor);
  }

  @Access('common')
  @Mutation(() => Boolean, { description: 'Signs the caller out elsewhere.' })
  async revokeSession(@Ctx() { actor }: GraphQLContext, @Arg('id', () => String) id: string): Promise<boolean> {
    await this.ownSessions.revoke(actor, id);
    return true;
  }

  @Access('common')
  @Mutation(() => Int, { description: 'Signs the caller out everywhere else; how many sessions ended.' })
  revokeOtherSessions(@Ctx() { actor }: GraphQLContext): Promise<number> {
    return this.ownSessions.revokeOthers(actor);
  }
}
