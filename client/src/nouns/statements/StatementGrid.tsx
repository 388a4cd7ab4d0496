import ReceiptLongOutlinedIcon from '@mui/icons-material/ReceiptLongOutlined';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import type { ListGridProps } from '../../components/grid/listGridProps.js';
import { useFormat } from '../../lib/useFormat.js';
import { monthName, StatementCard, statementColumns } from './statementColumns.js';
import type { StatementRowFragment } from './statements.generated.js';

type Kept = 'label' | 'columnsKey' | 'columns' | 'getRowId' | 'renderCard' | 'empty';

/** The statements of one account. */
export function StatementGrid(props: Omit<ListGridProps<StatementRowFragment>, Kept>) {
  const { t, i18n } = useTranslation();
  const { money } = useFormat();
  const columns = useMemo(() => statementColumns(t, money, i18n.language, false), [t, money, i18n.language]);
  return (
    <ListGrid
      label={t('shell.statements')}
      columnsKey="statements-table-columns"
      columns={columns}
      {...props}
      getRowId={(row) => row.id ?? 0}
      renderCard={(row) => <StatementCard row={row} money={money} title={monthName(row.month, i18n.language)} />}
      empty={
        <EmptyState
          icon={<ReceiptLongOutlinedIcon />}
          title={t('statements.emptyTitle')}
          text={t('statements.emptyText')}
        />
      }
    />
  );
}
