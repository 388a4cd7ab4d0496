import type { TFunction } from 'i18next';
import { dollars, integer, listText } from '../../lib/format.js';
import type { Tone } from '../../components/Tone.js';
import type { AlertKind, AlertRowFragment } from './alerts.generated.js';

/** The colour of a kind: red where calls or money are lost, amber where they soon may be. */
export const alertTones: Record<AlertKind, Tone> = {
  CHANNEL_DISABLED: 'red',
  CHANNEL_BALANCE_LOW: 'amber',
  ERROR_RATE: 'red',
  SALE_BELOW_COST: 'amber',
  RECONCILE_DRIFT: 'red',
  WEBHOOK_OFF: 'amber',
};

export const alertKinds = Object.keys(alertTones) as AlertKind[];

/** Describes what has happened, with the figures of the alert. */
export function alertDetail(t: TFunction, alert: AlertRowFragment): string {
  const { kind, reason, balance, threshold, calls, failedCalls, models, endpoints, count } = alert;
  switch (kind) {
    case 'CHANNEL_DISABLED':
      return reason ?? t('alerts.noReason');
    case 'CHANNEL_BALANCE_LOW':
      return t('alerts.balanceLeft', { left: dollars(balance ?? 0, 2), threshold: dollars(threshold ?? 0, 2) });
    case 'ERROR_RATE':
      return t('alerts.failedCalls', { failed: integer(failedCalls ?? 0), calls: integer(calls ?? 0) });
    case 'SALE_BELOW_COST':
      return t('alerts.belowCost', { count: count ?? 0, models: listText(models ?? []) });
    case 'RECONCILE_DRIFT':
      return t('alerts.drift', { count: count ?? 0 });
    case 'WEBHOOK_OFF':
      return t('alerts.endpointsOff', { count: count ?? 0, endpoints: listText(endpoints ?? []) });
  }
}
