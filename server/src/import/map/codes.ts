import { lastSecond, maxInt32 } from '../../shared/limits.js';
import type { RedemptionStatus } from '../../console/redemptions/index.js';
import type { Mapper } from './mapped.js';

const statuses: ReadonlyMap<number, RedemptionStatus> = new Map([
  [1, 'enabled'],
  [2, 'disabled'],
  [3, 'used'],
]);

/** Maps a redemption code, which keeps its text. */
export const mapCode: Mapper = (row, { findings }) => {
  const table = 'redemptions';
  const { id } = row;
  const key = row.code('key');
  const quota = row.whole('quota');
  if (key === '' || quota < 1) {
    findings.add(key === '' ? 'key-missing' : 'code-worthless', table, id, String(quota));
    return [];
  }
  const status = statuses.get(row.whole('status', 1)) ?? 'disabled';
  // one-api does not store the user who used a code.
  const used = Math.max(row.clamped('used_count', 0, maxInt32), row.has('used_count') || status !== 'used' ? 0 : 1);
  const limit = row.clamped('max_uses', 0, maxInt32);
  if (limit > 0 && used > limit) findings.add('code-uses', table, id, `${used} of ${limit}`);
  return [
    {
      key: String(id),
      values: {
        id,
        user_id: row.clamped('user_id', 0, maxInt32),
        status,
        name: row.text('name'),
        quota,
        created_at: row.moment('created_time') ?? new Date(0).toISOString(),
        redeemed_at: row.moment('redeemed_time'),
        valid_from: row.moment('valid_from'),
        valid_until: endOf(row.seconds(row.has('expired_time') ? 'expired_time' : 'valid_until')),
        used_user_id: row.clamped('used_user_id', 0, maxInt32) || null,
        is_gift: row.flag('is_gift'),
        max_uses: limit > 0 ? Math.max(limit, used) : null,
        deleted_at: row.time('deleted_at'),
      },
      sealed: { key_sealed: key },
      hashed: { key_hash: key },
      amounts: { used_count: used },
    },
  ];
};

/** Returns the end of the validity. Sources store the last valid second, 0 for no bound. The column has the moment after it. */
const endOf = (last: number): string | null =>
  last > 0 ? new Date(Math.min(last + 1, lastSecond) * 1000).toISOString() : null;

/** Maps a use of a gift code of Veloera, where one user may have used a code twice. */
export const mapCodeUse = (): Mapper => {
  const seen = new Set<string>();
  return (row, { findings }) => {
    const [code, user] = [row.clamped('redemption_id', 0, maxInt32), row.clamped('user_id', 0, maxInt32)];
    const key = `${code}:${user}`;
    if (seen.has(key)) {
      findings.add('code-use-twice', 'redemption_logs', row.id, `code ${code}, user ${user}`);
      return [];
    }
    seen.add(key);
    const values = {
      redemption_id: code,
      user_id: user,
      used_at: row.moment('used_time'),
      quota: row.whole('quota'),
    };
    return [{ key, values }];
  };
};
