import { lazyPart } from '../../components/lazyPart.js';

// Each part of an object's page is loaded when it is first shown: the pages of all objects have them.

export const UsageSummary = lazyPart(async () => (await import('./UsageSummary.js')).UsageSummary);
export const CallsTab = lazyPart(async () => (await import('./CallsTab.js')).CallsTab);
export const ErrorsTab = lazyPart(async () => (await import('./ErrorsTab.js')).ErrorsTab);
export const ProfitTab = lazyPart(async () => (await import('./ProfitTab.js')).ProfitTab);
export const ChangesTab = lazyPart(async () => (await import('./ChangesTab.js')).ChangesTab);
export const BudgetsTab = lazyPart(async () => (await import('./BudgetsTab.js')).BudgetsTab);
