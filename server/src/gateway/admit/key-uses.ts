import { ScheduledRuns } from '../../shared/scheduled-runs.js';
import type { Queries } from '../../platform/db/queries.js';
import type { KnownToken } from './key-directory.js';

const everyMilliseconds = 5_000;
/** Maximum number of keys whose address waits to be stored. Further addresses are dropped until the next write. */
const maxWaiting = 10_000;

const storeSql = `INSERT INTO token_uses (token_id, address)
  SELECT tokens.id, used.address FROM unnest($1::int[], $2::text[]) AS used (id, address)
    JOIN tokens ON tokens.id = used.id ORDER BY tokens.id
  ON CONFLICT (token_id) DO UPDATE SET address = excluded.address, at = excluded.at`;

/**
 * Stores the addresses from which API keys are used. A call compares one text; the address is stored within five seconds,
 * and again when the cached key is read again, about once a minute.
 */
export class KeyUses {
  private waiting = new Map<number, string>();
  private readonly runs: ScheduledRuns;

  /** @param report receives the error when addresses could not be stored; they are lost */
  constructor(
    private readonly database: Queries,
    report: (error: unknown) => void,
  ) {
    this.runs = new ScheduledRuns(() => this.write(), report);
  }

  /** Records that the key was used from this address. */
  note(token: KnownToken, address: string): void {
    if (token.address === address) return;
    token.address = address;
    if (token.id > 0 && this.waiting.size < maxWaiting) this.waiting.set(token.id, address);
  }

  start(): void {
    this.runs.every(everyMilliseconds);
  }

  /** Stores the waiting addresses. */
  async stop(): Promise<void> {
    await this.store();
    await this.runs.stop();
  }

  /** Stores the waiting addresses. Never throws: addresses that cannot be stored are lost. */
  store(): Promise<void> {
    return this.runs.run();
  }

  private async write(): Promise<void> {
    if (this.waiting.size === 0) return;
    const used = this.waiting;
    this.waiting = new Map();
    await this.database.query(storeSql, [[...used.keys()], [...used.values()]]);
  }
}
