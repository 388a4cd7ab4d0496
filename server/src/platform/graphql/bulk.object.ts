import { Int, ObjectType } from 'type-graphql';
import { fields, int, of, text } from './fields.js';
import type { BulkFailure, BulkResult } from '../../shared/bulk.js';
import type { ErrorCode } from '../../shared/errors.js';
import { ErrorCodeEnum } from './error-code.object.js';

@ObjectType('BulkFailure', { description: 'A row that a mutation did not change.' })
class BulkFailureObject
  extends fields({
    id: int('The id that the mutation named.'),
    code: of<ErrorCode>(() => ErrorCodeEnum, 'Why the row was not changed, for programs.'),
    message: text('Why the row was not changed, in English.'),
  })
  implements BulkFailure {}

@ObjectType('BulkPayload', { description: 'The outcome for each row that a mutation named.' })
export class BulkPayload
  extends fields({
    done: of<readonly number[]>(() => [Int], 'Ids of the changed rows.'),
    failed: of<readonly BulkFailure[]>(
      () => [BulkFailureObject],
      'Rows that were not changed, with the reason. Empty when all were.',
    ),
  })
  implements BulkResult {}
