import type { ChannelWatch } from '../modules/channels/channel-watch.service.js';
import type { LogTail } from '../modules/logs/log-tail.service.js';
import type { TaskWatch } from '../modules/tasks/task-watch.service.js';
import type { BalanceWatch } from '../modules/users/balance-watch.service.js';
import type { GraphQLContext } from './context.js';

/** What subscriptions are fed from. */
export interface LiveSources {
  readonly logs: LogTail;
  readonly channels: ChannelWatch;
  readonly tasks: TaskWatch;
  readonly balances: BalanceWatch;
}

/** Of a subscription: TypeGraphQL gives `subscribe` no resolver instance, so the sources come this way. */
export interface StreamContext extends GraphQLContext {
  readonly live: LiveSources;
}

/** For `@Subscription({ subscribe })`. */
export function liveSource<Arguments extends object>(
  open: (context: StreamContext, args: Arguments) => Promise<AsyncIterable<unknown>>,
) {
  return ({ context, args }: { context: unknown; args: unknown }): Promise<AsyncIterable<unknown>> =>
    open(context as StreamContext, args as Arguments);
}
