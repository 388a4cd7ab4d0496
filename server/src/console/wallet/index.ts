export { PaymentTestService } from './payment-test.service.js';
export { WalletService } from './wallet.service.js';
