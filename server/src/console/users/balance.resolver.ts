import { ObjectType, Resolver, Root, Subscription } from 'type-graphql';
import { fields, quota, safeInt } from '../../platform/graphql/fields.js';
import { Access } from '../../platform/graphql/access.js';
import { liveSource } from '../../platform/graphql/live-sources.js';
import type { Delivery } from '../../platform/live/mailbox.js';
import type { Balance, BalanceWatch } from './balance-watch.js';

@ObjectType('Balance', { description: 'The balance of the caller.' })
class BalanceObject
  extends fields({
    quota: quota('Remaining quota, without reservations for calls in flight.'),
    usedQuota: quota('Quota that was charged.'),
    requestCount: safeInt('Calls that were charged.'),
  })
  implements Omit<Balance, 'id'> {}

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
