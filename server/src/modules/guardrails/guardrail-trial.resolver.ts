import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { Access, Cost } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { GuardrailTrialObject } from './guardrail-trial.object.js';
import type { GuardrailTrialService } from './guardrail-trial.service.js';

@Resolver(() => GuardrailTrialObject)
export class GuardrailTrialResolver {
  constructor(private readonly trials: GuardrailTrialService) {}

  @Access('root')
  @Cost(20)
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
