/** Warns users before their balance runs out (docs/reference/relay/billing.md#settlement). */
export interface BalanceWatch {
  /**
   * Called when a charge has left less than its user wants to be warned of. Returns immediately and never throws.
   * @param left the user's quota after the charge
   */
  ranLow(userId: number, left: number): void;
}
