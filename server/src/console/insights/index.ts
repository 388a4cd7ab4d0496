export { InsightService } from './insights.service.js';
export { LedgerHistoryService } from './ledger-history.service.js';
