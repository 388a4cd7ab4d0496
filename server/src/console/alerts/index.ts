export { AlertConditions } from './alert-conditions.js';
export { AlertStore } from './alert-store.js';
export { AlertTargets } from './alert-targets.js';
export { Alert } from './alert.entity.js';
export { AlertService } from './alert.service.js';
