import { Arg, Ctx, Query, Resolver, Field, ObjectType } from 'type-graphql';
import { Access, Cost, NotInPanels, TakesSettings } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import type { GuardrailTrialService } from './guardrail-trial.service.js';

@ObjectType('GuardrailTrial', { description: 'What a rule finds in a text.' })
class GuardrailTrialObject {
  @Field(() => [String], { description: 'Kinds of personal data, words, categories, or names of a webhook.' })
  matched: readonly string[];

  @Field(() => String, { description: 'The text as a rule with the action `mask` passes it on.' })
  text: string;

  @Field(() => String, { nullable: true, description: 'Why another server could not check it. Null: it could.' })
  failure: string | null;
}

@Resolver(() => GuardrailTrialObject)
export class GuardrailTrialResolver {
  constructor(private readonly trials: GuardrailTrialService) {}

  @Access('root')
  @Cost(20)
  @TakesSettings()
  @NotInPanels()
  @Query(() => GuardrailTrialObject, {
    description: 'Checks a text with a rule that need not be saved. Moderation and webhooks are called.',
  })
  guardrailTrial(
    @Ctx() { actor }: GraphQLContext,
    @Arg('rule', () => String, { description: 'JSON of one rule, as in the option `guardrails.rules`.' }) rule: string,
    @Arg('text', () => String, { description: 'At most 10,000 characters.' }) text: string,
  ): Promise<GuardrailTrialObject> {
    return this.trials.try(actor, rule, text);
  }
}
