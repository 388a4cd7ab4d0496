import ReceiptLongOutlinedIcon from '@mui/icons-material/ReceiptLongOutlined';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { ListScreen } from '../../components/ListScreen.js';
import { useExportActions } from '../../components/useExportActions.js';
import { idPattern, listVariablesOf } from '../../lib/gridState.js';
import { useFormat } from '../../lib/useFormat.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { monthName, monthPattern, sorts, StatementCard, statementColumns } from './statementColumns.js';
import { AllStatementsDocument, type StatementFilter, type StatementSortField } from './statements.generated.js';

const noFilters = { month: '', account: '' };
const patterns = { account: idPattern };

const toFilter = ({ month, account }: Readonly<typeof noFilters>): StatementFilter => ({
  // A month that is not typed to its end does not restrict yet.
  ...(monthPattern.test(month.trim()) ? { months: [month.trim()] } : {}),
  ...(account ? { accountIds: [Number(account)] } : {}),
});

/** Closed statements of all accounts. */
export function AllStatementListScreen() {
  const { t, i18n } = useTranslation();
  const { money } = useFormat();
  const navigate = useNavigate();
  const grid = useServerGrid({ filters: noFilters, patterns, sorts });
  const filter = useMemo(() => toFilter(grid.filter), [grid.filter]);
  const { listProps, reload } = useListPage(
    grid,
    AllStatementsDocument,
    { ...listVariablesOf<StatementSortField>(grid), filter },
    ({ statements }) => statements,
  );
  const columns = useMemo(() => statementColumns(t, money, i18n.language, true), [t, money, i18n.language]);
  const exports = useExportActions({
    path: '/api/statement/export',
    parameters: () => ({ month: filter.months?.[0] ?? '', account_id: grid.filter.account }),
    name: 'statements',
  });
  return (
    <ListScreen
      title={t('shell.allStatements')}
      menu={[{ label: t('actions.refresh'), onSelect: reload }, ...exports]}
      filters={
        <FilterBar
          filters={grid.filters}
          fields={[
            { name: 'month', label: t('statements.monthFilter'), typed: 'text' },
            { name: 'account', label: t('payments.userId'), typed: 'digits' },
          ]}
        />
      }
    >
      <ListGrid
        label={t('shell.allStatements')}
        columnsKey="all-statements-table-columns"
        columns={columns}
        {...listProps}
        getRowId={(row) => row.id ?? 0}
        onRowOpen={(row) => void navigate(`/statements/${row.id ?? ''}`)}
        renderCard={(row) => (
          <StatementCard
            row={row}
            money={money}
            title={`${monthName(row.month, i18n.language)} · ${row.buyer.username}`}
          />
        )}
        empty={
          <EmptyState
            icon={<ReceiptLongOutlinedIcon />}
            title={t('statements.emptyTitle')}
            text={t('statements.emptyText')}
          />
        }
      />
    </ListScreen>
  );
}
