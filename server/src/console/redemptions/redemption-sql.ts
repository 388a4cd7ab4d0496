/**
 * SQL: whether the code can be redeemed now or later.
 * @param now placeholder of the current time
 */
export const isOpen = (now: string): string =>
  `deleted_at IS NULL AND status = 'enabled' AND (valid_until IS NULL OR valid_until > ${now})`;

/** SQL: whether the code is a gift code without a limit of uses. */
export const isUnlimited = 'is_gift AND max_uses IS NULL';

/** SQL: how often a code can still be redeemed; 1 for a gift code without a limit. */
export const remainingUses =
  'CASE WHEN is_gift AND max_uses IS NOT NULL THEN greatest(max_uses - used_count, 0) ELSE 1 END';
