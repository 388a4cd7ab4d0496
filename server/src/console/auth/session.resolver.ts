import { Arg, Ctx, ID, Query, Resolver, Int } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import type { OwnSessionsService } from './own-sessions.service.js';
import { SessionObject, toSessionObject } from './session.object.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';

@Resolver(() => SessionObject)
export class SessionResolver {
  constructor(private readonly ownSessions: OwnSessionsService) {}

  @Access('common')
  @Query(() => [SessionObject], { description: 'Browsers in which the caller is signed in, the last used first.' })
  async mySessions(@Ctx() { actor }: GraphQLContext): Promise<SessionObject[]> {
    return (await this.ownSessions.list(actor)).map(toSessionObject);
  }

  @Access('common')
  @PayloadMutation({ id: [() => ID, 'The id of the session that ended.'] }, 'Ends one of the caller’s sessions.')
  async revokeSession(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => ID, { description: '`Session.id`, of one of the caller’s sessions.' }) id: string,
  ): Promise<{ id: string }> {
    await this.ownSessions.revoke(actor, id);
    return { id };
  }

  @Access('common')
  @PayloadMutation({ count: [() => Int, 'Sessions that ended.'] }, 'Ends all of the caller’s other sessions.')
  async revokeOtherSessions(@Ctx() { actor }: GraphQLContext): Promise<{ count: number }> {
    return { count: await this.ownSessions.revokeOthers(actor) };
  }
}
