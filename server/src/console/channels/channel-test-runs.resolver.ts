import { Ctx, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import type { ChannelTestRun, ChannelTestRuns } from './channel-test-runs.js';

@ObjectType('ChannelTestRun', { description: 'A test of all channels that a user started.' })
class ChannelTestRunObject implements ChannelTestRun {
  @Field(() => Date, { description: 'When the test of all channels began.' })
  startedAt: Date;

  @Field(() => Date, { nullable: true, description: 'Null while it is running.' })
  endedAt: Date | null;

  @Field(() => Int, { description: 'Channels of the site at its start.' })
  total: number;

  @Field(() => Int, { description: 'Channels that passed so far.' })
  passed: number;

  @Field(() => Int, { description: 'Channels that failed so far.' })
  failed: number;

  @Field(() => Int, {
    description:
      'Channels without a result: their type has no test, only a call with a price would test them, or they were not reached.',
  })
  skipped: number;
}

@Resolver()
export class ChannelTestRunResolver {
  constructor(private readonly runs: ChannelTestRuns) {}

  @Query(() => ChannelTestRunObject, {
    nullable: true,
    description: 'The last `testAllChannels`. Null when there was none, a day after its end, and when its node died.',
  })
  @Access('channels.read')
  channelTestRun(@Ctx() { actor }: GraphQLContext): Promise<ChannelTestRun | null> {
    return this.runs.last(actor);
  }
}
