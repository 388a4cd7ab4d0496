import { Field, Int, ObjectType, type ClassType } from 'type-graphql';
import { maxDelivered, type Delivery } from '../live/mailbox.js';

/** Returns the payload type `<Noun>s…` of a subscription: `items`, and the number of further ones. */
export function deliveryType<Item extends object>(
  item: ClassType<Item>,
  name: string,
  description: string,
): ClassType<Delivery<Item>> {
  @ObjectType(name, { description })
  class DeliveryType implements Delivery<Item> {
    @Field(() => [item], { description: `At most ${maxDelivered}, each in its newest state.` })
    items: Item[];

    @Field(() => Int, {
      description:
        'Number of changes that are not among the items, because there were too many or they are unknown: reload the list to see them.',
    })
    missed: number;
  }
  return DeliveryType;
}
