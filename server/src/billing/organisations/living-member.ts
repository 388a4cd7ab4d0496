/**
 * SQL for whether a key may be used as far as its member is concerned: a key of a person, or of an organisation itself,
 * has none. The keys of a member stop with the membership, and while the member is banned or deleted.
 * @param keys name of the table of keys
 */
export const hasLivingMember = (keys: string): string => `(${keys}.member_id = 0 OR EXISTS (
    SELECT FROM memberships m JOIN users person ON person.id = m.user_id
     WHERE m.id = ${keys}.member_id AND m.left_at IS NULL AND person.status = 'enabled' AND person.deleted_at IS NULL))`;
