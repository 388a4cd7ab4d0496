export { filled, type Notice, NoticeDelivery, signatureOf } from './delivery.js';
export { NoticeOutbox } from './notice-outbox.js';
export { NotificationService } from './notification.service.js';
