import { Arg, Args, Ctx, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { loadFor } from '../../platform/graphql/loaders.js';
import { listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import {
  AlertListArgs,
  AlertObject,
  AlertPage,
  AlertTargetEnum,
  FailedAlertMessageObject,
  toAlertFilter,
  toAlertObject,
} from './alert.object.js';
import type { AlertService, FailedMessage } from './alert.service.js';
import type { AlertTarget } from './alert-targets.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';

@Resolver(() => AlertObject)
export class AlertResolver {
  constructor(private readonly alertService: AlertService) {}

  @Access('alerts')
  @Cost(1, ['pageSize'])
  @Query(() => AlertPage, { description: 'Conditions that an operator should know of, the newest first.' })
  async alerts(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => AlertListArgs) args: AlertListArgs,
  ): Promise<PageOf<AlertObject>> {
    const { alertService } = this;
    const page = await alertService.list(actor, toAlertFilter(args.filter), listQueryOf(args));
    return PageOf.from(page, toAlertObject, { unseenCount: () => alertService.unseen(actor) });
  }

  @Access('alerts')
  @FieldResolver(() => [FailedAlertMessageObject], { description: 'Messages that could not be sent so far.' })
  async failedMessages(@Ctx() context: GraphQLContext, @Root() { id }: AlertObject): Promise<FailedMessage[]> {
    const read = (ids: readonly number[]) => this.alertService.failures(context.actor, ids);
    const list = { name: 'failedMessages', scope: 'ADMIN_READ' } as const;
    return (await loadFor(context, this.alertService, list, id, read)) ?? [];
  }

  @Access('alerts')
  @PayloadMutation(
    { unseenCount: [() => Int, 'Open alerts that the caller has not seen.'] },
    'Marks the alerts up to this id as seen by the caller.',
  )
  async markAlertsSeen(
    @Ctx() { actor }: GraphQLContext,
    @Arg('until', () => Int, { description: 'The id of an alert: this one and all older ones count as seen.' })
    until: number,
  ): Promise<{ unseenCount: number }> {
    await this.alertService.markSeen(actor, until);
    return { unseenCount: await this.alertService.unseen(actor) };
  }

  @Access('root')
  @PayloadMutation(
    { target: [() => AlertTargetEnum, 'The target that accepted the message.'] },
    'Sends a test message with the saved settings.',
  )
  async sendTestAlert(
    @Ctx() { actor }: GraphQLContext,
    @Arg('target', () => AlertTargetEnum, { description: 'The target to try. Its settings must be saved.' })
    target: AlertTarget,
  ): Promise<{ target: AlertTarget }> {
    await this.alertService.sendTest(actor, target);
    return { target };
  }
}
