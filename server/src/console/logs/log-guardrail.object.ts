import { Field, ObjectType } from 'type-graphql';
import type { LogGuardrail } from './log-details.js';

@ObjectType('LogGuardrail', { description: 'A guardrail that matched the content of the call.' })
export class LogGuardrailObject implements LogGuardrail {
  @Field(() => String, { description: 'Name of the rule.' })
  rule: string;

  @Field(() => String, { description: '`input` or `output`.' })
  stage: string;

  @Field(() => String, {
    description: '`block`, `mask`, `log`, or `failed_open` and `failed_closed` for a failed check.',
  })
  action: string;

  @Field(() => [String], { description: 'Kinds, words or categories that matched. Never personal data itself.' })
  matched: readonly string[];
}
