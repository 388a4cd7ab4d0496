import { Arg, Ctx, Int, Query, Resolver } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';
import { SessionObject, toSessionObject } from '../auth/session.object.js';
import type { UserSessionsService } from './user-sessions.service.js';

@Resolver(() => SessionObject)
export class UserSessionResolver {
  constructor(private readonly sessions: UserSessionsService) {}

  @Access('users.read')
  @Query(() => [SessionObject], { description: 'Browsers in which a user is signed in, the last used first.' })
  async userSessions(
    @Ctx() { actor }: GraphQLContext,
    @Arg('userId', () => Int, { description: '`User.id`.' }) userId: number,
  ): Promise<SessionObject[]> {
    return (await this.sessions.list(actor, userId)).map(toSessionObject);
  }

  @Access('users.write')
  @PayloadMutation(
    { count: [() => Int, 'Sessions that ended.'] },
    'Signs a user out everywhere. Their keys go on working.',
  )
  async endUserSessions(
    @Ctx() { actor }: GraphQLContext,
    @Arg('userId', () => Int, { description: '`User.id`.' }) userId: number,
  ): Promise<{ count: number }> {
    return { count: await this.sessions.end(actor, userId) };
  }
}
