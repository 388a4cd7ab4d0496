import { Field, ObjectType } from 'type-graphql';

@ObjectType('GuardrailTrial', { description: 'What a rule finds in a text.' })
export class GuardrailTrialObject {
  @Field(() => [String], { description: 'Kinds of personal data, words, categories, or names of a webhook.' })
  matched: readonly string[];

  @Field(() => String, { description: 'The text as a rule with the action `mask` passes it on.' })
  text: string;

  @Field(() => String, { nullable: true, description: 'Why another server could not check it. Null: it could.' })
  failure: string | null;
}
