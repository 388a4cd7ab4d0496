import { hash } from 'node:crypto';
import { memberOfKey } from '../../../billing/organisations/index.js';
import { seconds, type Clock } from '../../../shared/clock.js';
import { UnavailableError } from '../../../shared/errors.js';
import { ScheduledRuns } from '../../../shared/scheduled-runs.js';
import type { Queries } from '../../../platform/db/queries.js';

/** The user who got an id from a provider, and the account that knows it. */
export interface IdOwner {
  readonly userId: number;
  /** The member of an organisation. 0: the id is of a person, or open to all members. */
  readonly memberId: number;
  readonly tokenId: number;
  readonly channelId: number;
  readonly keyMark: string;
}

/** Maximum number of ids that wait to be stored. Further ids are dropped, and their users cannot name them. */
const maxWaiting = 50_000;
const maxBatch = 1000;
/** Providers keep responses for 30 days. */
export const keptSeconds = 30 * 86_400;
const retryMilliseconds = 1000;

/**
 * Within one account, the first user or member who gets an id keeps it until it expires. Different accounts may have
 * the same ids.
 */
const storeSql = `INSERT INTO provider_ids (hash, user_id, token_id, channel_id, key_mark, expires_at)
  SELECT decode(hash, 'hex'), user_id, token_id, channel_id, key_mark, $6
    FROM unnest($1::text[], $2::int[], $3::int[], $4::int[], $5::text[])
      AS given (hash, user_id, token_id, channel_id, key_mark)
   ORDER BY hash, channel_id, key_mark
  ON CONFLICT (hash, channel_id, key_mark) DO UPDATE
    SET user_id = excluded.user_id, token_id = excluded.token_id,
      -- Files live longer than responses, which may cite them.
      expires_at = greatest(provider_ids.expires_at, excluded.expires_at)
    WHERE (provider_ids.user_id = excluded.user_id
      AND ${memberOfKey('provider_ids.token_id')} = ${memberOfKey('excluded.token_id')}) OR provider_ids.expires_at <= $7`;

const findSql = `SELECT encode(hash, 'hex') AS hash, user_id AS "userId", token_id AS "tokenId",
    ${memberOfKey('token_id')} AS "memberId", channel_id AS "channelId", key_mark AS "keyMark" FROM provider_ids
  WHERE hash = ANY (SELECT decode(each, 'hex') FROM unnest($1::text[]) AS each) AND expires_at > $2`;

/** An id that is not stored yet. */
interface Waiting {
  readonly digest: string;
  readonly owner: IdOwner;
}

interface OwnerRow extends IdOwner {
  readonly hash: string;
}

/**
 * Stores which user got an id from a provider, as digests in the database, for as long as the provider stores the
 * object, and separate from all content. Ids are written in the background, in batches. This node knows them at once.
 */
export class IdOwners {
  /** Ids that wait to be stored, by digest and account. */
  private readonly waiting = new Map<string, Waiting>();
  private readonly runs: ScheduledRuns;

  /** @param report receives the error of a batch that could not be stored; the batch is retried */
  constructor(
    private readonly database: Queries,
    private readonly clock: Clock,
    report: (error: unknown) => void,
  ) {
    this.runs = new ScheduledRuns(() => this.write(), report);
  }

  start(): void {
    this.runs.every(retryMilliseconds);
  }

  /** Stores the waiting ids. */
  async stop(): Promise<void> {
    await this.runs.run();
    await this.runs.stop();
  }

  /** Records that a provider returned these ids to a user. Never throws. */
  keep(ids: readonly string[], owner: IdOwner): void {
    for (const id of ids) {
      const digest = digestOf(id);
      const name = nameOf(digest, owner);
      if (this.waiting.size < maxWaiting && !this.waiting.has(name)) this.waiting.set(name, { digest, owner });
    }
    if (this.waiting.size > 0) void this.runs.run();
  }

  /**
   * Finds the owners of ids.
   * @returns the owners, one for each account that returned the id
   * @throws UnavailableError when the database does not respond
   */
  async find(ids: readonly string[]): Promise<ReadonlyMap<string, readonly IdOwner[]>> {
    const names = new Map(ids.map((id) => [digestOf(id), id]));
    // The waiting ids are read before the database is: a batch may be stored meanwhile.
    const known = new Map([...this.waiting].filter(([, { digest }]) => names.has(digest)));
    for (const { hash: digest, ...owner } of await this.read([...names.keys()])) {
      known.set(nameOf(digest, owner), { digest, owner });
    }
    const found = new Map<string, IdOwner[]>(ids.map((id) => [id, []]));
    for (const { digest, owner } of known.values()) found.get(names.get(digest) ?? '')?.push(owner);
    return found;
  }

  private async read(digests: readonly string[]): Promise<readonly OwnerRow[]> {
    try {
      return (await this.database.query(findSql, [digests, seconds(this.clock)])) as OwnerRow[];
    } catch (error) {
      throw new UnavailableError('The database is unavailable. Try again shortly.', { cause: error });
    }
  }

  private async write(): Promise<void> {
    while (this.waiting.size > 0) {
      const now = seconds(this.clock);
      const batch = [...this.waiting].slice(0, maxBatch);
      const owners = batch.map(([, { owner }]) => owner);
      await this.database.query(storeSql, [
        batch.map(([, { digest }]) => digest),
        owners.map(({ userId }) => userId),
        owners.map(({ tokenId }) => tokenId),
        owners.map(({ channelId }) => channelId),
        owners.map(({ keyMark }) => keyMark),
        now + keptSeconds,
        now,
      ]);
      for (const [name] of batch) this.waiting.delete(name);
    }
  }
}

/** Digests an id. 128 bits are enough, because clients cannot choose ids. */
export const digestOf = (id: string): string => hash('sha256', id, 'hex').slice(0, 32);

const nameOf = (digest: string, { channelId, keyMark }: IdOwner): string => `${digest}/${channelId}/${keyMark}`;
