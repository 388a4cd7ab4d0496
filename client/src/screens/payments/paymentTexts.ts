import { moneyOf } from '../../lib/format.js';
import type { PaymentsQuery } from './payments.generated.js';

export const statusTexts = { PAID: 'payments.paid', PENDING: 'payments.pending', EXPIRED: 'payments.expired' } as const;

export const amountOf = ({ amount, currency }: PaymentsQuery['topUps']['items'][number]['money']): string =>
  moneyOf(Number(amount), currency);
