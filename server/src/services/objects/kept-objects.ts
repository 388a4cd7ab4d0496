import { ceilSecond, unixSeconds } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import { RelayError } from '../../dialects/errors/relay-error.js';
import { digestOf } from '../../gateway/route/affinity/id-owners.js';
import { isOpenToMember, type RowReader } from '../../billing/organisations/index.js';
import type { Queries } from '../../platform/db/queries.js';
import type { Fields } from '../../dialects/neutral/fields.js';
import type { ShownObject } from './shown-object.js';

/** The user who made an object, and the account that keeps it. */
export interface ObjectOwner {
  readonly userId: number;
  readonly tokenId: number;
  readonly channelId: number;
  readonly keyMark: string;
}

/** Limits of the objects of one user. */
export interface ObjectLimits {
  readonly maxCount: number;
  /** Bytes of one file, and of all files together. */
  readonly maxFileBytes: number;
  readonly maxUserBytes: number;
}

/** Room for an object that is being created. */
export interface ReservedRoom {
  readonly id: number;
  /** The most bytes that it may have. */
  readonly maxBytes: number;
}

/** A position in a list, newest first. */
export interface ListQuery {
  readonly limit: number;
  readonly isAscending: boolean;
  /** The id behind which, or before which, the page is. */
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly purpose?: string | undefined;
}

export interface ObjectPage {
  readonly objects: readonly Fields[];
  readonly ids: readonly string[];
  readonly hasMore: boolean;
}

/** Unix seconds. The owner of an object without an end is kept until it is deleted. */
const noEnd = 253_402_300_799;

const keepSql = `WITH kept AS (
    INSERT INTO provider_objects (kind, object_id, user_id, token_id, channel_id, key_mark, bytes, expires_at, shown)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (object_id, channel_id, key_mark) DO UPDATE
      SET user_id = excluded.user_id, token_id = excluded.token_id, kind = excluded.kind, bytes = excluded.bytes,
        expires_at = excluded.expires_at, shown = excluded.shown)
  INSERT INTO provider_ids (hash, user_id, token_id, channel_id, key_mark, expires_at)
  SELECT decode(hash, 'hex'), $3, $4, $5, $6, $10 FROM unnest($11::text[]) AS hash
  ON CONFLICT (hash, channel_id, key_mark) DO UPDATE
    SET user_id = excluded.user_id, token_id = excluded.token_id, expires_at = excluded.expires_at`;

/** The objects that makers keep for users of this site: their owners, sizes and last descriptions. No content. */
export class KeptObjects {
  constructor(private readonly database: Queries) {}

  /**
   * Reserves room for an object, so that objects which are created at the same time keep the limits.
   * @param bytes its size; null if it is not known
   * @throws AppError PAYLOAD_TOO_LARGE, RelayError object_limit_reached
   */
  async reserve(
    owner: ObjectOwner,
    kind: string,
    bytes: number | null,
    { maxCount, maxFileBytes, maxUserBytes }: ObjectLimits,
  ): Promise<ReservedRoom> {
    if (bytes !== null && bytes > maxFileBytes) throw tooLarge(maxFileBytes);
    const wanted = bytes ?? maxFileBytes;
    const [row] = (await this.database.query(
      `INSERT INTO provider_objects (kind, user_id, token_id, channel_id, key_mark, bytes)
       VALUES ($1, $2, $3, $4, $5, $6) RETURNING id::float8`,
      [kind, owner.userId, owner.tokenId, owner.channelId, owner.keyMark, wanted],
    )) as Array<{ id: number }>;
    const id = row?.id ?? 0;
    // Counted after the row was added: of two objects that do not fit together, at most one is accepted.
    const [used] = (await this.database.query(
      'SELECT count(*)::float8 AS count, sum(bytes)::float8 AS bytes FROM provider_objects WHERE user_id = $1',
      [owner.userId],
    )) as Array<{ count: number; bytes: number }>;
    const room = wanted - Math.max(0, (used?.bytes ?? 0) - maxUserBytes);
    const problem =
      (used?.count ?? 0) > maxCount ? tooMany(maxCount) : room < (bytes ?? 1) ? noRoom(maxUserBytes) : null;
    if (problem) {
      await this.drop(id);
      throw problem;
    }
    if (room < wanted) await this.database.query('UPDATE provider_objects SET bytes = $2 WHERE id = $1', [id, room]);
    return { id, maxBytes: Math.min(room, maxFileBytes) };
  }

  /** Returns the room of an object that was not created. */
  async drop(id: number): Promise<void> {
    await this.database.query('DELETE FROM provider_objects WHERE id = $1 AND object_id IS NULL', [id]);
  }

  /** Stores an object that the maker has created, and that the user owns it. An earlier object of this id is gone. */
  async keep(owner: ObjectOwner, kind: string, object: ShownObject, bytes = object.bytes): Promise<void> {
    const { userId, tokenId, channelId, keyMark } = owner;
    const { id, names, expiresAt, shown } = object;
    await this.database.query(keepSql, [
      ...[kind, id, userId, tokenId, channelId, keyMark, object.bytes || bytes, expiresAt, JSON.stringify(shown)],
      expiresAt ? unixSeconds(ceilSecond(expiresAt)) : noEnd,
      names.map(digestOf),
    ]);
  }

  /** Stores the newer description of an object. */
  async refresh(
    { channelId, keyMark }: Pick<ObjectOwner, 'channelId' | 'keyMark'>,
    object: ShownObject,
  ): Promise<void> {
    await this.database.query(
      `WITH kept AS (
         UPDATE provider_objects SET shown = $4, expires_at = $5, bytes = greatest(bytes, $6)
          WHERE object_id = $1 AND channel_id = $2 AND key_mark = $3 RETURNING 1)
       UPDATE provider_ids SET expires_at = $7
        WHERE channel_id = $2 AND key_mark = $3 AND EXISTS (SELECT FROM kept)
          AND hash = ANY (SELECT decode(hash, 'hex') FROM unnest($8::text[]) AS hash)`,
      [
        ...[object.id, channelId, keyMark, JSON.stringify(object.shown), object.expiresAt, object.bytes],
        object.expiresAt ? unixSeconds(ceilSecond(object.expiresAt)) : noEnd,
        object.names.map(digestOf),
      ],
    );
  }

  /** Removes an object that its maker no longer keeps. */
  async remove(id: string, { channelId, keyMark }: Pick<ObjectOwner, 'channelId' | 'keyMark'>): Promise<void> {
    const [row] = (await this.database.query(
      'SELECT shown FROM provider_objects WHERE object_id = $1 AND channel_id = $2 AND key_mark = $3',
      [id, channelId, keyMark],
    )) as Array<{ shown: Fields | null }>;
    const uri = row?.shown?.['uri'];
    await this.database.query(
      `WITH gone AS (DELETE FROM provider_objects WHERE object_id = $1 AND channel_id = $2 AND key_mark = $3)
       DELETE FROM provider_ids WHERE channel_id = $2 AND key_mark = $3
         AND hash = ANY (SELECT decode(hash, 'hex') FROM unnest($4::text[]) AS hash)`,
      [id, channelId, keyMark, [id, ...(typeof uri === 'string' ? [uri] : [])].map(digestOf)],
    );
  }

  /** Returns the account of the newest object that the reader has in an API; null if there is none. */
  async newestAccount(
    { userId, memberId }: RowReader,
    api: string,
  ): Promise<Pick<ObjectOwner, 'channelId' | 'keyMark'> | null> {
    const [row] = (await this.database.query(
      `SELECT channel_id AS "channelId", key_mark AS "keyMark" FROM provider_objects
        WHERE user_id = $1 AND object_id IS NOT NULL AND starts_with(kind, $2) AND ${isOpenToMember('token_id', '$3')}
        ORDER BY id DESC LIMIT 1`,
      [userId, `${api}/`, memberId],
    )) as Array<Pick<ObjectOwner, 'channelId' | 'keyMark'>>;
    return row ?? null;
  }

  /** Returns one page of the objects that are open to the reader. Objects whose time is over are left out. */
  async page({ userId, memberId }: RowReader, kind: string, query: ListQuery): Promise<ObjectPage> {
    const { limit, after, before, purpose, isAscending } = query;
    const values: unknown[] = [userId, kind, limit + 1, memberId];
    const conditions = [
      'user_id = $1',
      'kind = $2',
      isOpenToMember('token_id', '$4'),
      'object_id IS NOT NULL',
      '(expires_at IS NULL OR expires_at > now())',
    ];
    const at = (id: string): string =>
      `(SELECT id FROM provider_objects WHERE user_id = $1 AND kind = $2 AND object_id = $${values.push(id)})`;
    if (after !== undefined) conditions.push(`id ${isAscending ? '>' : '<'} ${at(after)}`);
    if (before !== undefined) conditions.push(`id ${isAscending ? '<' : '>'} ${at(before)}`);
    if (purpose !== undefined) conditions.push(`shown->>'purpose' = $${values.push(purpose)}`);
    const rows = (await this.database.query(
      `SELECT object_id AS id, shown FROM provider_objects WHERE ${conditions.join(' AND ')}
        ORDER BY id ${isAscending ? 'ASC' : 'DESC'} LIMIT $3`,
      values,
    )) as Array<{ id: string; shown: Fields }>;
    const page = rows.slice(0, limit);
    return { objects: page.map(({ shown }) => shown), ids: page.map(({ id }) => id), hasMore: rows.length > limit };
  }
}

const megabytes = (bytes: number): number => Math.floor(bytes / 1024 / 1024);

export const tooLarge = (maxBytes: number): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `The file is larger than ${megabytes(maxBytes)} MB`);

const limitReached = (message: string): RelayError =>
  new RelayError('PAYLOAD_TOO_LARGE', message, 'object_limit_reached', { status: 403 });

const noRoom = (maxBytes: number): RelayError =>
  limitReached(`Your files may have ${megabytes(maxBytes)} MB together. Delete files that you do not need`);

const tooMany = (maxCount: number): RelayError =>
  limitReached(`You may keep at most ${maxCount} files and other objects. Delete those that you do not need`);
