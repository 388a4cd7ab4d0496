import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { Access, Cost } from '../../../platform/graphql/access.js';
import type { GraphQLContext } from '../../../platform/graphql/context.js';
import { omitNullish } from '../../../platform/graphql/nullable.js';
import { clampPageSize } from '../../../shared/page.js';
import { FailedAttemptArgs, FailedAttemptObject, KeyFailureObject } from './failed-attempts.object.js';
import type { FailedAttemptFilter, FailedAttemptService } from './failed-attempts.service.js';

@Resolver()
export class FailedAttemptResolver {
  constructor(private readonly attempts: FailedAttemptService) {}

  @Query(() => [FailedAttemptObject], {
    description: 'The last failed attempts, the newest first. They are kept for 7 days, at most 200,000.',
  })
  @Access('channels.read')
  @Cost(10)
  failedAttempts(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => FailedAttemptArgs) { filter, first }: FailedAttemptArgs,
  ): Promise<FailedAttemptObject[]> {
    return this.attempts.list(actor, omitNullish<FailedAttemptFilter>(filter ?? {}), clampPageSize(first));
  }

  @Query(() => [KeyFailureObject], {
    description: 'Failed attempts of the last 24 hours by channel, key and kind of failure, the latest first.',
  })
  @Access('channels.read')
  @Cost(10)
  keyFailures(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => FailedAttemptArgs) { filter, first }: FailedAttemptArgs,
  ): Promise<KeyFailureObject[]> {
    return this.attempts.byKey(actor, omitNullish<FailedAttemptFilter>(filter ?? {}), clampPageSize(first));
  }
}
