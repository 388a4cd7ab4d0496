import { maxInt32 } from '../../shared/limits.js';
import type { Mapper } from './mapped.js';

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
  const status = [1, 2, 3].includes(row.whole('status', 1)) ? row.whole('status', 1) : 2;
  // one-api does not store the user who used a code.
  const used = Math.max(row.clamped('used_count', 0, maxInt32), row.has('used_count') || status !== 3 ? 0 : 1);
  const given = row.clamped('max_uses', -1, maxInt32, -1);
  const limit = given === 0 ? -1 : given;
  if (limit !== -1 && used > limit) findings.add('code-uses', table, id, `${used} of ${limit}`);
  return [
    {
      key: String(id),
      values: {
        id,
        user_id: row.clamped('user_id', 0, maxInt32),
        status,
        name: row.text('name'),
        quota,
        created_time: row.seconds('created_time'),
        redeemed_time: row.seconds('redeemed_time'),
        valid_from: row.seconds('valid_from'),
        valid_until: row.has('expired_time') ? row.seconds('expired_time') : row.seconds('valid_until'),
        used_user_id: row.clamped('used_user_id', 0, maxInt32),
        is_gift: row.flag('is_gift'),
        max_uses: limit === -1 ? -1 : Math.max(limit, used),
        used_count: used,
        deleted_at: row.time('deleted_at'),
      },
      sealed: { key_sealed: key },
      hashed: { key_hash: key },
    },
  ];
};

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
      used_time: row.seconds('used_time'),
      quota: row.whole('quota'),
    };
    return [{ key, values }];
  };
};
