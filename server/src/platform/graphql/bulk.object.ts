import { Field, Int, ObjectType } from 'type-graphql';
import type { BulkFailure, BulkResult } from '../../shared/bulk.js';
import type { ErrorCode } from '../../shared/errors.js';
import { ErrorCodeEnum } from './error-code.object.js';

@ObjectType('BulkFailure', { description: 'A row that a mutation did not change.' })
class BulkFailureObject implements BulkFailure {
  @Field(() => Int, { description: 'The id that the mutation named.' })
  id: number;

  @Field(() => ErrorCodeEnum, { description: 'Why the row was not changed, for programs.' })
  code: ErrorCode;

  @Field(() => String, { description: 'Why the row was not changed, in English.' })
  message: string;
}

@ObjectType('BulkPayload', { description: 'The outcome for each row that a mutation named.' })
export class BulkPayload implements BulkResult {
  @Field(() => [Int], { description: 'Ids of the changed rows.' })
  done: readonly number[];

  @Field(() => [BulkFailureObject], {
    description: 'Rows that were not changed, with the reason. Empty when all were.',
  })
  failed: readonly BulkFailure[];
}
