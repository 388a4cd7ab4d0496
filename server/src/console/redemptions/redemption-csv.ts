import type { CsvColumn } from '../../shared/csv.js';
import type { Redemption } from './redemption.entity.js';

/** A row with its code, for admins only. Access tokens that must not change codes get `hiddenKey` instead of the text. */
export interface KeyedRedemption {
  readonly redemption: Redemption;
  readonly key: string;
}

const iso = (moment: Date | null): string => moment?.toISOString() ?? '';

/** Columns of the export. Times are in UTC; an unlimited gift code has no `max_uses`. */
export const codeColumns: ReadonlyArray<CsvColumn<KeyedRedemption>> = [
  ['id', ({ redemption }) => redemption.id],
  ['name', ({ redemption }) => redemption.name],
  ['code', ({ key }) => key],
  ['status', ({ redemption }) => redemption.status],
  ['quota', ({ redemption }) => redemption.quota],
  ['kind', ({ redemption }) => (redemption.isGift ? 'gift' : 'once')],
  ['max_uses', ({ redemption }) => (redemption.isGift ? redemption.maxUses : 1)],
  ['used_count', ({ redemption }) => (redemption.isGift ? redemption.usedCount : Number(redemption.status === 'used'))],
  ['created_at', ({ redemption }) => iso(redemption.createdAt)],
  ['valid_from', ({ redemption }) => iso(redemption.validFrom)],
  ['valid_until', ({ redemption }) => iso(redemption.validUntil)],
  ['redeemed_at', ({ redemption }) => iso(redemption.redeemedAt)],
  ['redeemed_by', ({ redemption }) => redemption.usedUserId],
];
