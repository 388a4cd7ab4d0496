import { useTranslation } from 'react-i18next';
import { useParams, useSearchParams } from 'react-router-dom';
import { idPattern } from '../../lib/gridState.js';
import { ClosedStatement, CurrentStatement } from './StatementView.js';

/** A closed statement, or the preview of the month that runs. */
export function StatementScreen() {
  const { t } = useTranslation();
  const { id = '' } = useParams();
  const account = useSearchParams()[0].get('account') ?? '';
  const list = { label: t('shell.statements'), to: '/statements' };
  if (idPattern.test(id)) return <ClosedStatement id={Number(id)} list={list} />;
  return <CurrentStatement list={list} {...(idPattern.test(account) ? { account: Number(account) } : {})} />;
}
