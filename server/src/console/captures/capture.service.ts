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
    const [row] = await this.database.query<CapturedContent[]>(
      `SELECT request_id AS "requestId", created_at AS "createdAt", request, response, is_cut AS "isCut"
         FROM captured_contents WHERE request_id = $1`,
      [requestId],
    );
    return row ?? null;
  }
}
