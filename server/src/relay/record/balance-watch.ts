/**
 * Notified of the balance after each charge, to warn users before it runs out
 * (docs/reference/relay/billing.md#settlement).
 */
export interface BalanceWatch {
  /**
   * Returns immediately and never throws.
   * @param left the user's quota after the charge
   */
  charged(userId: number, quota: number, left: number): void;
}
