import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { useListPage } from '../../components/grid/useListPage.js';
import { ListScreen } from '../../components/ListScreen.js';
import { useActing } from '../../lib/acting.js';
import { idPattern, listVariablesOf } from '../../lib/gridState.js';
import { useRowParam } from '../../lib/useRowParam.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { BillingProfileDialog } from './BillingProfileDialog.js';
import { sorts } from '../../nouns/statements/statementColumns.js';
import { StatementGrid } from '../../nouns/statements/StatementGrid.js';
import type { StatementSortField } from '../../nouns/statements/statements.generated.js';
import { MyStatementsDocument } from './statements.generated.js';
import { ClosedStatement, CurrentStatement } from './StatementView.js';

/** The closed statements of the user, or of the organisation for which they act, and the month that runs. */
export function StatementListScreen() {
  const { t } = useTranslation();
  const [opened, setOpened] = useRowParam('statement');
  const navigate = useNavigate();
  const isPart = useActing() !== null;
  const list = { label: t('shell.statements'), to: '?' };
  // A statement of an organisation stays within its page, whose requests act for the organisation.
  if (isPart && opened === 'current') return <CurrentStatement list={list} />;
  if (isPart && opened !== null && idPattern.test(opened)) return <ClosedStatement id={Number(opened)} list={list} />;
  return (
    <StatementList
      onOpen={(id) => {
        if (isPart) setOpened(id);
        else void navigate(`/statements/${id}`);
      }}
    />
  );
}

/** @param onOpen gets the id of a statement, or `current` */
function StatementList({ onOpen }: { readonly onOpen: (id: string) => void }) {
  const { t } = useTranslation();
  const grid = useServerGrid({ filters: {}, sorts });
  const [edits, setEdits] = useState(false);
  const { listProps } = useListPage(
    grid,
    MyStatementsDocument,
    listVariablesOf<StatementSortField>(grid),
    ({ myStatements }) => myStatements,
  );
  const current = (
    <Button variant="contained" onClick={() => onOpen('current')}>
      {t('statements.current')}
    </Button>
  );
  return (
    <ListScreen
      title={t('shell.statements')}
      primary={current}
      menu={[{ label: t('statements.profile'), onSelect: () => setEdits(true) }]}
    >
      <StatementGrid {...listProps} onRowOpen={(row) => onOpen(String(row.id))} />
      {edits && <BillingProfileDialog onClose={() => setEdits(false)} />}
    </ListScreen>
  );
}
