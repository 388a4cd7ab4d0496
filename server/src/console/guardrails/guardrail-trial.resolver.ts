import { Arg, Ctx, InputType, ObjectType, Resolver } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { fields, inputFields, of, text } from '../../platform/graphql/fields.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';
import type { GuardrailTrialService } from './guardrail-trial.service.js';

@ObjectType('GuardrailTrial', { description: 'What a rule finds in a text.' })
class GuardrailTrialObject extends fields({
  matched: of<readonly string[]>(() => [String], 'Kinds of personal data, words, categories, or names of a webhook.'),
  text: text('The text as a rule with the action `mask` passes it on.'),
  failure: text.orNull('Why another server could not check it. Null: it could.'),
}) {}

@InputType({ description: 'A rule, and a text to check with it.' })
class TryGuardrailInput extends inputFields({
  rule: text('JSON of one rule, as in the option `guardrails.rules`. It need not be saved.'),
  text: text('At most 10,000 characters.'),
}) {}

@Resolver(() => GuardrailTrialObject)
export class GuardrailTrialResolver {
  constructor(private readonly trials: GuardrailTrialService) {}

  @Access('root')
  @Cost(20)
  @PayloadMutation(
    { trial: [() => GuardrailTrialObject, 'What the rule finds.'] },
    'Checks a text with a rule. Moderation and webhooks of the rule are called.',
  )
  async tryGuardrail(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => TryGuardrailInput, { description: 'The rule and the text.' }) input: TryGuardrailInput,
  ): Promise<{ trial: GuardrailTrialObject }> {
    return { trial: await this.trials.try(actor, input.rule, input.text) };
  }
}
