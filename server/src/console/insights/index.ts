export { InsightService } from './insights.service.js';
