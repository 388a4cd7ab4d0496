export { PlanService } from './plan.service.js';
export { SubscriptionService } from './subscription.service.js';
