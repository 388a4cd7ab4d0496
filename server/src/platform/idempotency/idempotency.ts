import { createHash } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import type { Actor } from '../../shared/actor.js';
import { ConflictError, InvalidInputError } from '../../shared/errors.js';
import { asFields } from '../../shared/json.js';

/** Minimum time for which the result of a key is stored. */
const keptInterval = '7 days';
const maxKeyLength = 128;

/** A unit of work that must happen at most once per key. */
export interface OnceRequest {
  /** Name of the operation, such as `grantQuota`. Keys of different operations are independent. */
  readonly operation: string;
  /** Chosen by the client, 1 to 128 characters. Absent: the work is done on every call. */
  readonly key?: string | null;
  /** All input of the operation. The same key with different input is refused. */
  readonly input: unknown;
}

export interface OnceResult<Result> {
  readonly result: Result;
  /** True when an earlier call with this key did the work; `result` is the result of that call. */
  readonly replayed: boolean;
}

/**
 * Makes mutations that move money safe to retry. The key and the result are stored in the transaction of the work, so a
 * crash keeps both or neither. Concurrent calls with the same key run one after the other.
 */
export class Idempotency {
  constructor(private readonly database: DataSource) {}

  /**
   * @param work must write through the given manager only; its result must be serializable as JSON
   * @throws AppError INVALID_INPUT (invalid key), CONFLICT (same key, different input), and any error of `work`, in
   * which case nothing is stored
   */
  async once<Result>(
    actor: Actor,
    { operation, key, input }: OnceRequest,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<OnceResult<Result>> {
    if (key == null) return { result: await this.database.transaction(work), replayed: false };
    if (key === '' || key.length > maxKeyLength || /\p{Cc}/u.test(key)) {
      throw new InvalidInputError(`idempotencyKey must have 1 to ${maxKeyLength} characters`, 'idempotencyKey');
    }
    const inputHash = createHash('sha256').update(canonical(input)).digest();
    // Members of one organisation do not meet each other's keys.
    const place = [actor.id, actor.membership ? `${operation}:${actor.membership.id}` : operation, key];
    return this.database.transaction(async (manager) => {
      // Waits for an unfinished call with the same key.
      const [claimed] = await manager.query<unknown[]>(
        `INSERT INTO idempotency_keys (user_id, operation, key, input_hash) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING RETURNING key`,
        [...place, inputHash],
      );
      if (!claimed) return { result: await this.earlier<Result>(manager, place, inputHash), replayed: true };
      const result = await work(manager);
      await manager.query(
        'UPDATE idempotency_keys SET result = $4 WHERE user_id = $1 AND operation = $2 AND key = $3',
        [...place, JSON.stringify(result)],
      );
      await this.forgetOld(manager);
      return { result, replayed: false };
    });
  }

  private async earlier<Result>(manager: EntityManager, place: unknown[], inputHash: Buffer): Promise<Result> {
    const [row] = await manager.query<Array<{ input_hash: Buffer; result: Result }>>(
      'SELECT input_hash, result FROM idempotency_keys WHERE user_id = $1 AND operation = $2 AND key = $3',
      place,
    );
    if (!row?.input_hash.equals(inputHash)) {
      throw new ConflictError('This idempotencyKey was used with other input', 'idempotencyKey');
    }
    return row.result;
  }

  private async forgetOld(manager: EntityManager): Promise<void> {
    await manager.query(
      `DELETE FROM idempotency_keys WHERE ctid IN (
         SELECT ctid FROM idempotency_keys WHERE created_at < now() - interval '${keptInterval}'
         LIMIT 100 FOR UPDATE SKIP LOCKED)`,
    );
  }
}

/** Returns JSON with the fields of objects in one order, so that both interfaces give the same text. */
const canonical = (input: unknown): string =>
  JSON.stringify(input, (_, value: unknown) => {
    const fields = asFields(value);
    return fields
      ? Object.fromEntries(Object.entries(fields).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value;
  });
