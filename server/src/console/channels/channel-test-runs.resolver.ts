import { Ctx, ObjectType, Query, Resolver } from 'type-graphql';
import { fields, int, moment } from '../../platform/graphql/fields.js';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import type { ChannelTestRun, ChannelTestRuns } from './channel-test-runs.js';

@ObjectType('ChannelTestRun', { description: 'A test of all channels that a user started.' })
class ChannelTestRunObject
  extends fields({
    startedAt: moment('When the test of all channels began.'),
    endedAt: moment.orNull('Null while it is running.'),
    total: int('Channels of the site at its start.'),
    passed: int('Channels that passed so far.'),
    failed: int('Channels that failed so far.'),
    skipped: int(
      'Channels without a result: their type has no test, only a call with a price would test them, or they were not reached.',
    ),
  })
  implements ChannelTestRun {}

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
