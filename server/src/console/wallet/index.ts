export { PaymentTestService } from './payment-test.service.js';
export { currency, WalletService } from './wallet.service.js';
