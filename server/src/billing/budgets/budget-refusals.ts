/**
 * The budgets that refused calls of this node since their notices were last sent, with one number for each. A call only
 * records a number, so that it waits for no notice.
 */
export class BudgetRefusals {
  private left = new Map<number, number>();

  /**
   * Records a refusal.
   * @param left the amount that the budget had left, which was too little for a call
   */
  note(budgetId: number, left: number): void {
    this.left.set(budgetId, Math.max(left, this.left.get(budgetId) ?? 0));
  }

  /**
   * Removes all records.
   * @returns the largest amount that was too little, by budget
   */
  take(): ReadonlyMap<number, number> {
    const { left } = this;
    if (left.size > 0) this.left = new Map();
    return left;
  }
}
