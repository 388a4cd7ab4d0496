import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { zonesOf } from '../../platform/graphql/ranges.js';
import { toPageQuery } from '../../shared/page.js';
import { toRange } from '../usage/usage-question.object.js';
import { toPage } from './insights.object.js';
import {
  CreditObject,
  LedgerHistoryArgs,
  LiabilityPointObject,
  LowBalanceArgs,
  LowBalancePageObject,
} from './ledger-history.object.js';
import type { LedgerHistoryService } from './ledger-history.service.js';

@Resolver()
export class LedgerHistoryResolver {
  constructor(private readonly history: LedgerHistoryService) {}

  @Access('usage.read')
  @Cost(50)
  @Query(() => [CreditObject], {
    description: 'Quota that entered balances, by source, to the second. Buckets without a movement are absent.',
  })
  credits(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => LedgerHistoryArgs) { range, timeZone, bucket }: LedgerHistoryArgs,
  ): Promise<CreditObject[]> {
    return this.history.credits(actor, { range: toRange(range), ...zonesOf(range, timeZone), bucket });
  }

  @Access('usage.read')
  @Cost(200)
  @Query(() => [LiabilityPointObject], {
    description:
      'Liabilities at the end of each bucket, to the UTC hour: `ledgerTotals` of earlier days. An import begins the history.',
  })
  liabilities(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => LedgerHistoryArgs) { range, timeZone, bucket }: LedgerHistoryArgs,
  ): Promise<LiabilityPointObject[]> {
    return this.history.liabilities(actor, { range: toRange(range), ...zonesOf(range, timeZone), bucket });
  }

  @Access('users.read')
  @Cost(200, ['pageSize'])
  @Query(() => LowBalancePageObject, {
    description:
      'Users whose balance fell below an amount, and the hour in which it did. A user who fell again is listed again.',
  })
  async lowBalances(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => LowBalanceArgs) { below, range, timeZone, page, pageSize }: LowBalanceArgs,
  ): Promise<LowBalancePageObject> {
    const question = { range: toRange(range), ...zonesOf(range, timeZone) };
    const pageQuery = toPageQuery({ page: page ?? null, pageSize: pageSize ?? null });
    return toPage(await this.history.lowBalances(actor, below, question, pageQuery));
  }
}
