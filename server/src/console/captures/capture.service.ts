import type { DataSource } from 'typeorm';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';

/** A captured prompt and its response. */
export interface CapturedContent {
  readonly requestId: string;
  readonly createdAt: Date;
  /** JSON after redaction. It is incomplete when it was cut. */
  readonly request: string;
  readonly response: string;
  readonly isCut: boolean;
}

/** Reads captured contents. */
export class CaptureService {
  constructor(private readonly database: Pick<DataSource, 'query'>) {}

  /**
   * Reads the content of a call.
   * @returns null when it was not captured, or was deleted
   * @throws AppError INSUFFICIENT_PRIVILEGES below root
   */
  async read(actor: MaybeActor, requestId: string): Promise<CapturedContent | null> {
    requirePermission(actor, 'logs.captures');
    const [row] = await this.database.query<Array<Record<string, unknown>>>(
      'SELECT request_id, created_at, request, response, is_cut FROM captured_contents WHERE request_id = $1',
      [requestId],
    );
    if (!row) return null;
    return {
      requestId: row['request_id'] as string,
      createdAt: row['created_at'] as Date,
      request: row['request'] as string,
      response: row['response'] as string,
      isCut: row['is_cut'] as boolean,
    };
  }
}
