import { Field, InputType, Int } from 'type-graphql';

@InputType('RotateTokenInput', { description: 'An API key that gets a new text.' })
export class RotateTokenInput {
  @Field(() => Int, { description: '`Token.id`.' })
  id: number;

  @Field(() => Date, {
    nullable: true,
    description: 'The old text works until then, at most 366 days from now. Absent or null: it ends at once.',
  })
  overlapUntil?: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'A retry with the same key returns the text of the first call.',
  })
  idempotencyKey?: string | null;
}
