import { UnstoredError } from './ledger-errors.js';
import type { SettleLine } from './ledger-lines.js';
import type { Spool } from './spool.js';

export interface LedgerLogger {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
  info(details: object, message: string): void;
}

/** Keeps settlements on the disk that the database cannot take now, or refuses. */
export class SpoolWriter {
  /** Calls whose settlement could be written neither to the database nor to the spool. They are retried. */
  readonly unstored = new Set<string>();
  private isBroken = false;

  constructor(
    private readonly spool: Spool,
    private readonly logger: LedgerLogger,
  ) {}

  /**
   * Writes settlements to the spool. Never throws.
   * @returns whether they are on the disk
   */
  async append(lines: SettleLine[]): Promise<boolean> {
    try {
      await this.spool.append(lines);
      this.isBroken = false;
      return true;
    } catch (error) {
      // The error is logged once, because the write is retried several times a second.
      if (!this.isBroken) this.logger.error({ err: error }, 'cannot write the settlement spool, retrying');
      this.isBroken = true;
      for (const { requestId } of lines) this.unstored.add(requestId);
      return false;
    }
  }

  /**
   * Stores a line for manual inspection. If that fails, the line goes to the spool and is retried from there. Never
   * throws.
   * @returns null when it is stored
   */
  async reject(line: SettleLine, reason: string): Promise<UnstoredError | null> {
    try {
      await this.spool.reject(line, reason);
      return null;
    } catch (error) {
      this.logger.error({ err: error, requestId: line.requestId }, 'refused settlement could not be stored');
      return (await this.append([line])) ? null : new UnstoredError(error);
    }
  }
}
