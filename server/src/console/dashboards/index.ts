export { Dashboard } from './dashboard.entity.js';
export { DashboardService } from './dashboard.service.js';
