import { Field, Int, ObjectType } from 'type-graphql';
import type { BulkFailure, BulkResult } from '../../shared/bulk.js';
import { errorCodes, type ErrorCode } from '../../shared/errors.js';
import { enumType, namesOf } from './enums.js';

export const ErrorCodeEnum = enumType(
  'ErrorCode',
  namesOf(errorCodes),
  'Error codes, also in `extensions.code` of errors.',
);

@ObjectType('BulkFailure', { description: 'A row that a mutation did not change.' })
class BulkFailureObject implements BulkFailure {
  @Field(() => Int)
  id: number;

  @Field(() => ErrorCodeEnum)
  code: ErrorCode;

  @Field(() => String)
  message: string;
}

@ObjectType('BulkPayload', { description: 'The outcome for each row that a mutation named.' })
export class BulkPayload implements BulkResult {
  @Field(() => [Int], { description: 'Ids of the changed rows.' })
  done: readonly number[];

  @Field(() => [BulkFailureObject])
  failed: readonly BulkFailure[];
}
