import { decodeCursor, encodeCursor } from '../../platform/db/keyset.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { SortBy, SortDirection } from '../../shared/page.js';
import type { Secrets } from '../../shared/secrets.js';
import type { LogPosition } from './log-page.js';

/** Encodes the position after which the next page begins. */
export interface CursorCodec {
  encode(position: LogPosition, direction: SortDirection): string;
  /** @throws InvalidInputError */
  decode(cursor: string, direction: SortDirection): LogPosition;
}

const orderBy = (direction: SortDirection): readonly SortBy[] => [
  { field: 'createdAt', direction },
  { field: 'id', direction },
];

export const plainCursor: CursorCodec = {
  encode: ({ createdAt, id }, direction) => encodeCursor(orderBy(direction), [createdAt, id]),
  decode: (cursor, direction) => {
    const [createdAt, id] = decodeCursor(cursor, orderBy(direction));
    if (!Number.isSafeInteger(createdAt) || !Number.isSafeInteger(id)) {
      throw new InvalidInputError('Invalid cursor for this list', 'after');
    }
    return { createdAt: Number(createdAt), id: Number(id) };
  },
};

/** Returns a cursor that is encrypted, because a row id would reveal to its owner how many rows the site writes. */
export const sealedCursor = (secrets: Secrets): CursorCodec => ({
  encode: (position, direction) => secrets.seal(plainCursor.encode(position, direction)),
  decode: (cursor, direction) => plainCursor.decode(openOr(secrets, cursor), direction),
});

/** @returns text that is not a cursor when it cannot be decrypted */
function openOr(secrets: Secrets, sealed: string): string {
  try {
    return secrets.open(sealed);
  } catch {
    return '';
  }
}
