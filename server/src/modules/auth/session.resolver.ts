import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import type { OwnSessionsService } from './own-sessions.service.js';
import { RevokeOtherSessionsPayload, RevokeSessionPayload, SessionObject, toSessionObject } from './session.object.js';

@Resolver(() => SessionObject)
export class SessionResolver {
  constructor(private readonly ownSessions: OwnSessionsService) {}

  @Access('common')
  @Query(() => [SessionObject], { description: 'Browsers in which the caller is signed in, the last used first.' })
  async mySessions(@Ctx() { actor }: GraphQLContext): Promise<SessionObject[]> {
    return (await this.ownSessions.list(actor)).map(toSessionObject);
  }

  @Access('common')
  @Mutation(() => RevokeSessionPayload, { description: 'Ends one of the caller’s sessions.' })
  async revokeSession(@Ctx() { actor }: GraphQLContext, @Arg('id', () => ID) id: string): Promise<{ id: string }> {
    await this.ownSessions.revoke(actor, id);
    return { id };
  }

  @Access('common')
  @Mutation(() => RevokeOtherSessionsPayload, { description: 'Ends all of the caller’s other sessions.' })
  async revokeOtherSessions(@Ctx() { actor }: GraphQLContext): Promise<{ count: number }> {
    return { count: await this.ownSessions.revokeOthers(actor) };
  }
}
