import { PaymentMethodsDocument } from '../nouns/payments/paymentMethods.generated.js';
import { answers } from './lists.js';

const method = (id: 'ALIPAY' | 'WXPAY', en: string, zh: string) => ({
  __typename: 'PaymentMethodDetails' as const,
  method: id,
  names: [
    { __typename: 'TranslatedName' as const, language: 'en', name: en },
    { __typename: 'TranslatedName' as const, language: 'zh', name: zh },
  ],
  icon: 'data:image/svg+xml,%3Csvg/%3E',
  currency: 'CNY',
  pricePerUsd: 7.3,
  provider: 'epay',
  isOffered: true,
  minTopUp: 1,
});

export const alipay = method('ALIPAY', 'Alipay', '支付宝');
export const wechatPay = method('WXPAY', 'WeChat Pay', '微信支付');

export const paymentMethods = answers(PaymentMethodsDocument, { paymentMethods: [alipay, wechatPay] });
