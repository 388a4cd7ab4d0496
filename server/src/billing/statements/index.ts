export { statementChecks } from './statement-checks.js';
export { StatementCloser } from './statement-closer.js';
export {
  groupUsage,
  type StatementContent,
  type StatementDocument,
  type UsageDimension,
  type UsageLine,
} from './statement-content.js';
export { BillingProfile, Statement, StatementMonth, toDocument } from './statement.entity.js';
