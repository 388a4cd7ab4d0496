import { Ctx, Query, Resolver } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';
import { GraphQLQuota } from '../../platform/graphql/scalars.js';
import type { CheckInService } from './check-in.service.js';

@Resolver()
export class CheckInResolver {
  constructor(private readonly checkInService: CheckInService) {}

  @Access('common')
  @Query(() => Boolean, { description: 'The caller has not checked in today, in UTC.' })
  canCheckIn(@Ctx() { actor }: GraphQLContext): Promise<boolean> {
    return this.checkInService.canCheckIn(actor);
  }

  @Access('common')
  @PayloadMutation(
    { quota: [() => GraphQLQuota, 'Added to the balance.'] },
    'Claims the reward of the day. A second call on a day is a CONFLICT.',
  )
  async checkIn(@Ctx() { actor }: GraphQLContext): Promise<{ quota: number }> {
    const { quota } = await this.checkInService.checkIn(actor);
    return { quota };
  }
}
