import { Field, InputType } from 'type-graphql';
import { GraphQLQuota } from '../../graphql/scalars.js';

@InputType('TransferInviteQuotaInput')
export class TransferInviteQuotaInput {
  @Field(() => GraphQLQuota, { description: 'At least 1 USD.' })
  quota: number;

  @Field(() => String, {
    description: 'Chosen by the caller, 1 to 128 characters. A call with a key that was used returns the first result.',
  })
  idempotencyKey: string;
}
