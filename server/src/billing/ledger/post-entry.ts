import { AppError, InvalidInputError } from '../../shared/errors.js';
import { isQuota, maxQuota } from '../../shared/quota.js';
import type { PostEntry, Posting } from './ledger.js';

/** The SQLSTATE raised by `ledger_post` when the balance would fall below the floor. */
const belowFloor = 'LDG01';
const noBalance = 'LDG02';

/**
 * Posts one movement inside the caller's transaction. A source that was posted before changes nothing and returns null.
 * @throws AppError INVALID_INPUT for amounts out of range, INSUFFICIENT_QUOTA below the floor, NOT_FOUND
 */
export const postEntry: PostEntry = async (transaction, posting) => {
  if (!isQuota(posting.amount))
    throw new InvalidInputError('The amount must be an integer within the range of the ledger', 'quota');
  try {
    const rows = (await transaction.query('SELECT ledger_post($1, $2, $3, $4, $5, $6, $7, $8, $9) AS after', [
      posting.source,
      posting.kind,
      posting.account ?? (posting.tokenId ? 'token' : 'user'),
      posting.userId,
      posting.tokenId ?? 0,
      posting.amount,
      posting.actorId ?? 0,
      posting.note ?? '',
      posting.floor ?? null,
    ])) as [{ after: string | null }];
    const after = rows[0].after === null ? null : Number(rows[0].after);
    if (after !== null && posting.amount > 0) await assertRoom(transaction, posting, after);
    return after;
  } catch (error) {
    throw toAppError(error);
  }
};

/**
 * Checks that the balance stays within the range of its column when calls in flight release their reservations.
 * Otherwise their settlement would be refused, and they would be free. The posting has locked the balance, so no call
 * reserves or settles meanwhile.
 */
async function assertRoom(
  transaction: Parameters<PostEntry>[0],
  { account, userId, tokenId }: Posting,
  after: number,
): Promise<void> {
  if (account === 'affiliate' || after <= maxQuota / 2) return;
  const column = tokenId ? 'token_id' : 'user_id';
  const [row] = (await transaction.query(
    `SELECT coalesce(sum(amount), 0) AS held FROM reservations WHERE ${column} = $1`,
    [tokenId || userId],
  )) as [{ held: string }];
  if (after + Number(row.held) > maxQuota) throw outOfRange();
}

const outOfRange = (): InvalidInputError => new InvalidInputError('The resulting balance is out of range', 'quota');

function toAppError(error: unknown): unknown {
  const code = (error as { code?: string } | null)?.code;
  if (code === belowFloor) return new AppError('INSUFFICIENT_QUOTA', 'The balance is too low', { cause: error });
  if (code === noBalance) return new AppError('NOT_FOUND', 'There is no such balance', { cause: error });
  // The code is check_violation: the balance would exceed the range of the column.
  if (code === '23514') return outOfRange();
  return error;
}
