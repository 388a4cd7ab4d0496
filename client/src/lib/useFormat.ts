import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import * as format from './format.js';
import { useStatus } from './status.js';

/** Formats bound to the site's settings: amounts in USD, or as quota. */
export function useFormat() {
  const { quotaPerUnit, displayInCurrency } = useStatus();
  const { t, i18n } = useTranslation();
  const language = i18n.language;
  return useMemo(() => {
    const display = { quotaPerUnit, displayInCurrency };
    const quota = (value: number) => t('units.quota', { amount: format.integer(value) });
    return {
      display,
      /** `15,199 quota` */
      quota,
      money: (value: number, kind: format.MoneyKind) =>
        displayInCurrency ? format.money(value, kind, display) : quota(value),
      relative: (value: Date | string | number) => format.relativeTime(value, language),
    };
  }, [quotaPerUnit, displayInCurrency, t, language]);
}
