export { BudgetDirectory, type LevelBudgets } from './budget-directory.js';
export { type BudgetPatch, type NewBudget, parseBudgetPatch, parseNewBudget } from './budget-input.js';
export { BudgetRefusals } from './budget-refusals.js';
export { type BudgetState, type BudgetView, readBudgetStates, usedShare } from './budget-states.js';
export { Budget } from './budget.entity.js';
export {
  budgetsOf,
  knownBudgetJson,
  type KnownBudgetRow,
  noBudgets,
  toKnownBudgets,
  toKnownRates,
} from './known-budget.js';
export {
  budgetShape,
  createTokenBudgets,
  maxPerSubject,
  type NewTokenBudget,
  tokenBudgetBody,
  toTokenBudget,
} from './token-budgets.js';
export { UsedUpBudgets } from './used-up-budgets.js';
