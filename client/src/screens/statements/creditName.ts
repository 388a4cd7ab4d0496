import type { TFunction } from 'i18next';
import type { StatementPartsFragment } from './statements.generated.js';

const names = {
  top_up: 'statements.kinds.topUp',
  payment_refund: 'statements.kinds.paymentRefund',
  redemption: 'statements.kinds.redemption',
  admin_grant: 'statements.kinds.adminGrant',
  check_in: 'statements.kinds.checkIn',
  invite: 'statements.kinds.invite',
  transfer: 'statements.kinds.transfer',
  rebate: 'statements.kinds.rebate',
  task_refund: 'statements.kinds.taskRefund',
  opening: 'statements.kinds.opening',
  plan: 'statements.kinds.plan',
  paid_by_plan: 'statements.kinds.paidByPlan',
} as const;

/** The name of a kind of movement. A kind of a newer server is shown as it is. */
export const creditName = (t: TFunction, kind: string): string =>
  Object.hasOwn(names, kind) ? t(names[kind as keyof typeof names]) : kind;

/** The name of a key in a line of usage. */
export const keyName = (
  t: TFunction,
  { tokenId, tokenName }: Pick<StatementPartsFragment['usageBy'][number], 'tokenId' | 'tokenName'>,
): string => (tokenId === 0 ? t('statements.noKey') : tokenName || t('statements.deletedKey', { id: tokenId }));
