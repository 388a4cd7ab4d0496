export { BudgetNotices } from './budget-notices.js';
export { BudgetService } from './budget.service.js';
