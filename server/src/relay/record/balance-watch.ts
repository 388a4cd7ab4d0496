/**
 * Told after a charge what is left, so that people can be warned before they run dry
 * (docs/reference/relay/billing.md#settlement).
 */
export interface BalanceWatch {
  /** Returns at once and never throws: nobody waits for a warning. @param left the user's quota after the charge */
  charged(userId: number, quota: number, left: number): void;
}
