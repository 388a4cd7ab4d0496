export { OrderService } from './order.service.js';
export { PaymentTestService } from './payment-test.service.js';
export { WalletService } from './wallet.service.js';
