import { Arg, Ctx, Int, Query, Resolver } from 'type-graphql';
import { Access, Cost, NotInPanels, TakesSettings } from '../../../platform/graphql/access.js';
import type { GraphQLContext } from '../../../platform/graphql/context.js';
import { ProposedSettingInput } from '../price-proposal.object.js';
import { DryRunObject, toDryRun } from './dry-run.object.js';
import type { DryRunService } from '../../../billing/prices/index.js';

/** GraphQL of proposed prices that are replayed over logged calls. */
@Resolver(() => DryRunObject)
export class DryRunResolver {
  constructor(private readonly dryRuns: DryRunService) {}

  @Access('prices.sync')
  @Cost(200)
  @TakesSettings()
  @NotInPanels()
  @Query(() => DryRunObject, {
    description:
      'Replays proposed prices over the calls of the last days. Changes nothing. One at a time: CONFLICT while another is in progress.',
  })
  async priceDryRun(
    @Ctx() { actor }: GraphQLContext,
    @Arg('settings', () => [ProposedSettingInput], { description: 'Settings that are not listed stay as they are.' })
    settings: ProposedSettingInput[],
    @Arg('days', () => Int, { description: '1 to 31.' }) days: number,
  ): Promise<DryRunObject> {
    return toDryRun(await this.dryRuns.run(actor, settings, days));
  }
}
