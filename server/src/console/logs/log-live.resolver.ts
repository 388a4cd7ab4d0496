import { Arg, Resolver, Root, Subscription } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { deliveryType } from '../../platform/graphql/delivery.object.js';
import { liveSource } from '../../platform/graphql/live-sources.js';
import type { Delivery } from '../../platform/live/mailbox.js';
import type { OptionValues } from '../../options/option.service.js';
import type { LogTail } from './log-tail.js';
import { LogFilterInput, OwnLogFilterInput, toLogFilter } from './log-filter.object.js';
import { LogObject, OwnLogObject, toLogObject, toOwnLogObject } from './log.object.js';
import type { LogView, OwnLogView } from './log-view.js';

const LogsCreated = deliveryType(LogObject, 'LogsCreated', 'New log rows of all users.');
const OwnLogsCreated = deliveryType(OwnLogObject, 'OwnLogsCreated', 'New log rows of the caller.');

interface FilterArgs {
  readonly filter?: LogFilterInput | null;
}

/** Event sources of the subscriptions below. */
export interface LogSources {
  readonly logs: LogTail;
}

/** New log rows. The time of a filter is ignored here. */
@Resolver()
export class LogLiveResolver {
  constructor(private readonly options: { readonly values: Pick<OptionValues, 'QuotaPerUnit'> }) {}

  @Subscription(() => LogsCreated, {
    description: 'New log rows of all users, oldest first. Ignores the time of the filter.',
    subscribe: liveSource<LogSources, FilterArgs>(({ live, actor }, { filter }) =>
      live.logs.all(actor, toLogFilter(filter)),
    ),
  })
  @Access('logs.read', 'LOGS_READ')
  logCreated(
    @Root() { items, missed }: Delivery<LogView>,
    @Arg('filter', () => LogFilterInput, {
      nullable: true,
      description: 'Only new rows that match every field. Its `at` has no effect.',
    })
    _filter?: LogFilterInput | null,
  ): Delivery<LogObject> {
    return { items: items.map((log) => toLogObject(log, this.options.values.QuotaPerUnit)), missed };
  }

  @Subscription(() => OwnLogsCreated, {
    description: 'New log rows of the caller, oldest first. Ignores the time of the filter.',
    subscribe: liveSource<LogSources, FilterArgs>(({ live, actor }, { filter }) =>
      live.logs.own(actor, toLogFilter(filter)),
    ),
  })
  @Access('common', 'LOGS_READ')
  myLogCreated(
    @Root() { items, missed }: Delivery<OwnLogView>,
    @Arg('filter', () => OwnLogFilterInput, {
      nullable: true,
      description: 'Only new rows that match every field. Its `at` has no effect.',
    })
    _filter?: OwnLogFilterInput | null,
  ): Delivery<OwnLogObject> {
    return { items: items.map((log) => toOwnLogObject(log, this.options.values.QuotaPerUnit)), missed };
  }
}
