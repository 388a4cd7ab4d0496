/**
 * SQL of the quota that the balance of a user has reserved: all open reservations, without the part that plans reserve.
 * @param id SQL of the user's id
 */
export const reservedOfBalance = (id: string): string =>
  `((SELECT coalesce(sum(amount), 0) FROM reservations WHERE user_id = ${id})
    - (SELECT coalesce(sum(held), 0) FROM subscription_use WHERE account_id = ${id}))`;
