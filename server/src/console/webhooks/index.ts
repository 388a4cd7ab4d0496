export { SiteEventTail } from './site-event-tail.js';
export { SiteEvent, WebhookDelivery, WebhookEndpoint } from './webhook.entity.js';
export { WebhookService } from './webhook.service.js';
