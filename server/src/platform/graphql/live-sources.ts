import type { GraphQLContext } from './context.js';

/**
 * Context of a subscription. TypeGraphQL gives `subscribe` no resolver instance, so the event sources travel in the
 * context. Every `*-live.resolver.ts` declares the sources it reads; `compose/live.ts` provides all of them.
 */
export interface StreamContext<Sources extends object = object> extends GraphQLContext {
  readonly live: Sources;
}

/**
 * Types the `subscribe` callback of `@Subscription`.
 * @param open starts the subscription and returns its events
 */
export function liveSource<Sources extends object, Arguments extends object = object>(
  open: (context: StreamContext<Sources>, args: Arguments) => Promise<AsyncIterable<unknown>>,
) {
  return ({ context, args }: { context: unknown; args: unknown }): Promise<AsyncIterable<unknown>> =>
    open(context as StreamContext<Sources>, args as Arguments);
}
