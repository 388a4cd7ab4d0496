import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, ObjectType, Resolver, Root, Subscription } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import { liveSource } from '../../graphql/live-sources.js';
import type { Delivery } from '../../live/mailbox.js';
import type { Balance, BalanceWatch } from './balance-watch.service.js';

@ObjectType('Balance')
class BalanceObject implements Omit<Balance, 'id'> {
  @Field(() => GraphQLSafeInt, {
    description: 'Remaining quota; reservations of calls in flight are already deducted.',
  })
  quota: number;

  @Field(() => GraphQLSafeInt)
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
    description: 'The caller’s balance: now, and after every change.',
    subscribe: liveSource<BalanceSources>(({ live, actor }) => live.balances.own(actor)),
  })
  balanceChanged(@Root() { items }: Delivery<Balance>): BalanceObject {
    const [balance] = items;
    if (!balance) throw new Error('an empty delivery');
    return balance;
  }
}
