import { Arg, Resolver, Root, Subscription } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import { deliveryType } from '../../graphql/delivery.object.js';
import { liveSource } from '../../graphql/live-sources.js';
import type { Delivery } from '../../live/mailbox.js';
import type { LogTail } from './log-tail.service.js';
import { LogFilterInput, LogObject, toLogFilter, toLogObject } from './log.object.js';
import type { LogView } from './log.service.js';

const LogsCreated = deliveryType(LogObject, 'LogsCreated');

interface Asked {
  readonly filter?: LogFilterInput | null;
}

/** Event sources of the subscriptions below. */
export interface LogSources {
  readonly logs: LogTail;
}

/** New log rows. The times of a filter ask nothing here. */
@Resolver()
export class LogLiveResolver {
  @Access('admin', 'LOGS_READ')
  @Subscription(() => LogsCreated, {
    description: 'New log rows of everybody, the oldest first.',
    subscribe: liveSource<LogSources, Asked>(({ live, actor }, { filter }) =>
      live.logs.all(actor, toLogFilter(filter)),
    ),
  })
  logCreated(
    @Root() delivery: Delivery<LogView>,
    @Arg('filter', () => LogFilterInput, { nullable: true }) _filter?: LogFilterInput | null,
  ): Delivery<LogObject> {
    return toLogDelivery(delivery);
  }

  @Access('common', 'LOGS_READ')
  @Subscription(() => LogsCreated, {
    description: 'New own log rows, the oldest first. Their ids count the rows of this subscription.',
    subscribe: liveSource<LogSources, Asked>(({ live, actor }, { filter }) =>
      live.logs.own(actor, toLogFilter(filter)),
    ),
  })
  myLogCreated(
    @Root() delivery: Delivery<LogView>,
    @Arg('filter', () => LogFilterInput, { nullable: true }) _filter?: LogFilterInput | null,
  ): Delivery<LogObject> {
    return toLogDelivery(delivery);
  }
}

const toLogDelivery = ({ items, missed }: Delivery<LogView>): Delivery<LogObject> => ({
  items: items.map(toLogObject),
  missed,
});
