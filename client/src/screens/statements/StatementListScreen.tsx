import Button from '@mui/material/Button';
import ReceiptLongOutlinedIcon from '@mui/icons-material/ReceiptLongOutlined';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { ListScreen } from '../../components/ListScreen.js';
import { listVariablesOf } from '../../lib/gridState.js';
import { useFormat } from '../../lib/useFormat.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { BillingProfileDialog } from './BillingProfileDialog.js';
import { monthName, sorts, StatementCard, statementColumns } from './statementColumns.js';
import { MyStatementsDocument, type StatementSortField } from './statements.generated.js';

/** The user's own closed statements, and the month that runs. */
export function StatementListScreen() {
  const { t, i18n } = useTranslation();
  const { money } = useFormat();
  const navigate = useNavigate();
  const grid = useServerGrid({ filters: {}, sorts });
  const [edits, setEdits] = useState(false);
  const { listProps } = useListPage(
    grid,
    MyStatementsDocument,
    listVariablesOf<StatementSortField>(grid),
    ({ myStatements }) => myStatements,
  );
  const columns = useMemo(() => statementColumns(t, money, i18n.language, false), [t, money, i18n.language]);
  const current = (
    <Button variant="contained" component={Link} to="/statements/current">
      {t('statements.current')}
    </Button>
  );
  return (
    <ListScreen
      title={t('shell.statements')}
      primary={current}
      menu={[{ label: t('statements.profile'), onSelect: () => setEdits(true) }]}
    >
      <ListGrid
        label={t('shell.statements')}
        columnsKey="statements-table-columns"
        columns={columns}
        {...listProps}
        getRowId={(row) => row.id ?? 0}
        onRowOpen={(row) => void navigate(`/statements/${row.id ?? ''}`)}
        renderCard={(row) => <StatementCard row={row} money={money} title={monthName(row.month, i18n.language)} />}
        empty={
          <EmptyState
            icon={<ReceiptLongOutlinedIcon />}
            title={t('statements.emptyTitle')}
            text={t('statements.emptyText')}
          />
        }
      />
      {edits && <BillingProfileDialog onClose={() => setEdits(false)} />}
    </ListScreen>
  );
}
