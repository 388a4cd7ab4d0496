import { Field, InputType, Int } from 'type-graphql';
import { payloadObject } from '../../graphql/payload.js';
import { TokenObject } from './token.object.js';

@InputType('RotateTokenInput')
export class RotateTokenInput {
  @Field(() => Int)
  id: number;

  @Field(() => Date, {
    nullable: true,
    description: 'The old text works until then, at most 366 days from now. Absent or null: it ends at once.',
  })
  overlapUntil?: Date | null;
}

export const RotateTokenPayload = payloadObject('RotateTokenPayload', {
  token: () => TokenObject,
  key: () => String,
});
export const EndTokenOverlapPayload = payloadObject('EndTokenOverlapPayload', { token: () => TokenObject });
