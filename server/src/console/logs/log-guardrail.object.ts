import { ObjectType } from 'type-graphql';
import { fields, of, text } from '../../platform/graphql/fields.js';
import type { LogGuardrail } from './log-details.js';

@ObjectType('LogGuardrail', { description: 'A guardrail that matched the content of the call.' })
export class LogGuardrailObject
  extends fields({
    rule: text('Name of the rule.'),
    stage: text('`input` or `output`.'),
    action: text('`block`, `mask`, `log`, or `failed_open` and `failed_closed` for a failed check.'),
    matched: of<readonly string[]>(
      () => [String],
      'Kinds, words or categories that matched. Never personal data itself.',
    ),
  })
  implements LogGuardrail {}
