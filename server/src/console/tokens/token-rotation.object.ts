import { InputType } from 'type-graphql';
import { inputFields, int, moment, text } from '../../platform/graphql/fields.js';

@InputType('RotateTokenInput', { description: 'An API key that gets a new text.' })
export class RotateTokenInput extends inputFields({
  id: int('`Token.id`.'),
  overlapUntil: moment.orNull(
    'The old text works until then, at most 366 days from now. Absent or null: it ends at once.',
  ),
  idempotencyKey: text.orNull('A retry with the same key returns the text of the first call.'),
}) {}
