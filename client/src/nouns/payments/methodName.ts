import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { PaymentMethodNameFragment } from './paymentMethods.generated.js';

/** The name of a method in a language of the console, else in the first language that it has. */
export const methodName = ({ method, names }: PaymentMethodNameFragment, language: string): string =>
  (names.find((one) => one.language === language) ?? names[0])?.name ?? method;

/**
 * Names the method of an order. Imported orders have methods that no provider has.
 * @param methods undefined while they are loading
 */
export function useMethodName(methods: readonly PaymentMethodNameFragment[] | undefined) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  return useCallback(
    (id: PaymentMethodNameFragment['method']): string => {
      if (!methods) return '';
      const known = methods.find(({ method }) => method === id);
      return known ? methodName(known, language) : t('wallet.otherMethod');
    },
    [methods, t, language],
  );
}
