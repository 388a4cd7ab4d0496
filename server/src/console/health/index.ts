export { FailedAttemptService } from './attempts/failed-attempts.service.js';
export { ChannelHealthService } from './channels/channel-health.service.js';
export { ModelHealthService } from './models/model-health.service.js';
export { StatusPageService } from './status-page/status-page.service.js';
