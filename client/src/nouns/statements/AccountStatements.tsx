import Button from '@mui/material/Button';
import ReceiptLongOutlinedIcon from '@mui/icons-material/ReceiptLongOutlined';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { listVariablesOf } from '../../lib/gridState.js';
import { useFormat } from '../../lib/useFormat.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import {
  currentAddress,
  monthName,
  sorts,
  statementAddress,
  StatementCard,
  statementColumns,
} from './statementColumns.js';
import { AllStatementsDocument, type StatementSortField } from './statements.generated.js';

/** The closed statements of one account, for those who see payments, and the month that runs. */
export function AccountStatements({ id }: { readonly id: number }) {
  const { t, i18n } = useTranslation();
  const { money } = useFormat();
  const navigate = useNavigate();
  const grid = useServerGrid({ filters: {}, sorts });
  const { listProps } = useListPage(
    grid,
    AllStatementsDocument,
    { ...listVariablesOf<StatementSortField>(grid), filter: { accountIds: [id] } },
    ({ statements }) => statements,
  );
  const columns = useMemo(() => statementColumns(t, money, i18n.language, false), [t, money, i18n.language]);
  return (
    <>
      <Button variant="outlined" component={Link} to={currentAddress(id)} sx={{ alignSelf: 'flex-start' }}>
        {t('statements.current')}
      </Button>
      <ListGrid
        label={t('shell.statements')}
        columnsKey="statements-table-columns"
        columns={columns}
        {...listProps}
        getRowId={(row) => row.id ?? 0}
        onRowOpen={(row) => void navigate(statementAddress(row))}
        renderCard={(row) => <StatementCard row={row} money={money} title={monthName(row.month, i18n.language)} />}
        empty={
          <EmptyState
            icon={<ReceiptLongOutlinedIcon />}
            title={t('statements.emptyTitle')}
            text={t('statements.emptyText')}
          />
        }
      />
    </>
  );
}
