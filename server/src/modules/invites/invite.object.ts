import { Field, InputType } from 'type-graphql';
import { payloadObject } from '../../graphql/payload.js';
import { GraphQLQuota } from '../../graphql/scalars.js';
import { UserObject } from '../users/user.object.js';

@InputType('TransferInviteQuotaInput')
export class TransferInviteQuotaInput {
  @Field(() => GraphQLQuota, { description: 'At least 1 USD.' })
  quota: number;

  @Field(() => String, {
    description: 'Chosen by the caller, 1 to 128 characters. A call with a key that was used returns the first result.',
  })
  idempotencyKey: string;
}

export const TransferInviteQuotaPayload = payloadObject(
  'TransferInviteQuotaPayload',
  { user: () => UserObject, replayed: () => Boolean },
  {
    user: 'As the caller is now.',
    replayed: 'An earlier call with this key moved the quota; this one changed nothing.',
  },
);
