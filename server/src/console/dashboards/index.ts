export { builtInDashboards } from './built-in.js';
export { Dashboard } from './dashboard.entity.js';
export { DashboardService } from './dashboard.service.js';
export { exampleValues } from './viewer-variables.js';
