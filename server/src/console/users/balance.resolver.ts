import { Field, ObjectType, Resolver, Root, Subscription } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { liveSource } from '../../platform/graphql/live-sources.js';
import { GraphQLQuota, GraphQLSafeInt } from '../../platform/graphql/scalars.js';
import type { Delivery } from '../../platform/live/mailbox.js';
import type { Balance, BalanceWatch } from './balance-watch.js';

@ObjectType('Balance', { description: 'The balance of the caller.' })
class BalanceObject implements Omit<Balance, 'id'> {
  @Field(() => GraphQLQuota, { description: 'Remaining quota, without reservations for calls in flight.' })
  quota: number;

  @Field(() => GraphQLQuota, { description: 'Quota that was charged.' })
  usedQuota: number;

  @Field(() => GraphQLSafeInt, { description: 'Calls that were charged.' })
  requestCount: number;
}

/** Event sources of the subscriptions below. */
export interface BalanceSources {
  readonly balances: BalanceWatch;
}

@Resolver()
export class BalanceResolver {
  @Access('common')
  @Subscription(() => BalanceObject, {
    description: 'The caller’s balance: the current one first, then each change.',
    subscribe: liveSource<BalanceSources>(({ live, actor }) => live.balances.own(actor)),
  })
  balanceChanged(@Root() { items }: Delivery<Balance>): BalanceObject {
    const [balance] = items;
    if (!balance) throw new Error('an empty delivery');
    return balance;
  }
}
