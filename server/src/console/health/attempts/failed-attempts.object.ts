import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { fields, inputFields, int, ints, moment, of, safeInt, text, texts } from '../../../platform/graphql/fields.js';
import type { FailureKind } from '../../../shared/failure-kind.js';
import { FailureKindEnum } from '../models/model-health.object.js';
import type { FailedAttempt, KeyFailure } from './failed-attempts.service.js';

@ObjectType('FailedAttempt', { description: 'An attempt to serve a call that failed.' })
export class FailedAttemptObject
  extends fields({
    id: of<string>(() => ID, 'Ids grow with time.'),
    at: moment('When it failed, to the second.'),
    requestId: text('The call: `Log.requestId`.'),
    channelId: int('`Channel.id`.'),
    channelName: text.orNull('The name of the channel now. Null: it was deleted.'),
    keyEnding: text('`ChannelKey.ending` of the key that was used.'),
    model: text('The model, without the prefix of the channel.'),
    kind: of<FailureKind>(() => FailureKindEnum, 'Why it failed.'),
    status: int.orNull('HTTP status of the provider. Null: it sent none.'),
    error: text(
      'Message, without addresses and keys. A refused request: status and code only, unless errors are logged.',
    ),
    attempts: int('Attempts that the row stands for: above 1 if many failed in the same way at the same time.'),
  })
  implements FailedAttempt {}

@ObjectType('KeyFailure', { description: 'Failed attempts with one key that failed in one way.' })
export class KeyFailureObject
  extends fields({
    attempts: safeInt('Their number in the last 24 hours.'),
    last: of<FailedAttempt>(() => FailedAttemptObject, 'The last of them.'),
  })
  implements KeyFailure {}

@InputType('FailedAttemptFilter', {
  description: 'Conditions on failed attempts. All must match. An empty list matches nothing.',
})
export class FailedAttemptFilterInput extends inputFields({
  channelIds: ints.orNull('Only attempts at these channels.'),
  models: texts.orNull('Only attempts with these models. Whole names, without the prefix of the channel.'),
  userIds: ints.orNull('Only calls of these users. Needs `LOGS_READ`.'),
  requestId: text.orNull('Only attempts of this call.'),
  keyEndings: texts.orNull('Only attempts with keys that end so: `ChannelKey.ending`.'),
}) {}

@ArgsType()
export class FailedAttemptArgs {
  @Field(() => FailedAttemptFilterInput, { nullable: true, description: 'All attempts when absent.' })
  filter?: FailedAttemptFilterInput | null;

  @Field(() => Int, { defaultValue: 50, description: '1 to 100.' })
  first: number;
}
