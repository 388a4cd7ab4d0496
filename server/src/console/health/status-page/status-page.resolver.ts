import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import type { GraphQLContext } from '../../../platform/graphql/context.js';
import { StatusPageObject, StatusPeriodEnum } from './status-page.object.js';
import type { StatusPageService, StatusPeriod } from './status-page.service.js';

@Resolver(() => StatusPageObject)
export class StatusPageResolver {
  constructor(private readonly statusPageService: StatusPageService) {}

  @Query(() => StatusPageObject, {
    nullable: true,
    description: 'The status page. Null: option `status_page.enabled` is off.',
  })
  async statusPage(
    @Ctx() { actor }: GraphQLContext,
    @Arg('period', () => StatusPeriodEnum, {
      defaultValue: 'DAY',
      description: 'The time that the page covers, and its buckets.',
    })
    period: StatusPeriod,
  ): Promise<StatusPageObject | null> {
    const { statusPageService } = this;
    return statusPageService.isShown ? statusPageService.page(actor, period) : null;
  }
}
