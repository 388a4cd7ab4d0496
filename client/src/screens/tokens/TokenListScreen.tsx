import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import VpnKeyOutlinedIcon from '@mui/icons-material/VpnKeyOutlined';
import { skipToken, useQuery } from '@apollo/client/react';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../components/CodeBlock.js';
import { EmptyState } from '../../components/EmptyState.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { SelectionBar } from '../../components/grid/SelectionBar.js';
import { useSelectMatching } from '../../components/grid/useSelectMatching.js';
import { useSelection } from '../../components/grid/useSelection.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { byRowId, useOpenedRow } from '../../components/grid/useOpenedRow.js';
import { ListScreen } from '../../components/ListScreen.js';
import { Notice } from '../../components/Notice.js';
import { TokenBulkActions } from '../../nouns/tokens/TokenBulkActions.js';
import { useActing } from '../../lib/acting.js';
import { listVariablesOf, type SortOf } from '../../lib/gridState.js';
import { useBaseAddress } from '../../lib/status.js';
import { useRowParam } from '../../lib/useRowParam.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { RotateTokenDialog } from './RotateTokenDialog.js';
import { TokenCard } from './TokenCard.js';
import { tokenColumns } from './tokenColumns.js';
import { TokenEditor } from './TokenEditor.js';
import {
  MatchingTokensDocument,
  MyTokensDocument,
  TokenChoicesDocument,
  TokenModelsDocument,
  type TokenRowFragment,
  type TokenSortField,
  type TokenStatus,
} from './tokens.generated.js';
import { curlExample, exampleModel, TokenUsageDialog, type UsedToken } from './TokenUsageDialog.js';
import { useTokenActions } from './useTokenActions.js';

/** A status in the address that does not exist is ignored. */
const filterPatterns = { status: /^(ENABLED|DISABLED|EXPIRED|EXHAUSTED)$/ };

const sorts = [
  'name',
  'status',
  'remainingQuota',
  'group',
  'createdAt',
  'expiresAt',
] satisfies SortOf<TokenSortField>[];

export function TokenListScreen() {
  const { t } = useTranslation();
  const address = useBaseAddress();
  const acting = useActing();
  const grid = useServerGrid({ filters: { keyword: '', status: '' }, patterns: filterPatterns, sorts });
  const { keyword, status } = grid.filter;
  const [opened, setOpened] = useRowParam('row');
  const [isRunning, setRunning] = useState(false);
  const [used, setUsed] = useState<UsedToken | null>(null);
  const { ids: selected, select, drop, clear } = useSelection();
  const [rotated, setRotated] = useState<TokenRowFragment | null>(null);

  const filter = { keyword: keyword || null, ...(status ? { statuses: [status as TokenStatus] } : {}) };
  const { rows, reload, isEmpty, listProps } = useListPage(
    grid,
    MyTokensDocument,
    { ...listVariablesOf<TokenSortField>(grid), filter, ...(acting ? { placed: true } : {}) },
    ({ myTokens }) => myTokens,
  );
  const matching = useSelectMatching({
    document: MatchingTokensDocument,
    filter,
    idsOf: ({ myTokens }) => myTokens.items,
    count: selected.size,
    select,
  });
  const models = useQuery(TokenModelsDocument, isEmpty ? {} : skipToken).data?.myModels;
  const edit = useCallback((token: TokenRowFragment) => setOpened(String(token.id)), [setOpened]);
  const showUsage = useCallback(
    (token: TokenRowFragment) =>
      setUsed({ name: token.name, id: token.id, key: null, models: token.modelLimits ?? [] }),
    [],
  );
  const actions = useTokenActions({ refetch: reload, onRemoved: drop, edit, showUsage, rotate: setRotated });
  const columns = useMemo(() => tokenColumns(t, actions, acting), [t, actions, acting]);

  const marked = [...selected].filter((id) => typeof id === 'number');
  const choices = useQuery(TokenChoicesDocument, marked.length > 0 ? { fetchPolicy: 'cache-first' } : skipToken).data;
  const refresh = (refused: readonly number[]) => {
    select(refused);
    reload();
  };

  const addButton = useRef<HTMLButtonElement>(null);
  const closeUsage = () => {
    setUsed(null);
    // After a new token, the drawer that had the focus is gone.
    setTimeout(() => {
      if (document.activeElement === document.body) addButton.current?.focus();
    });
  };
  const add = (
    <Button variant="contained" startIcon={<AddOutlinedIcon />} ref={addButton} onClick={() => setOpened('new')}>
      {t('tokens.create')}
    </Button>
  );
  const editedRow = useOpenedRow(rows, opened, MyTokensDocument, byRowId, ({ myTokens }) => myTokens);

  return (
    <ListScreen
      title={t('shell.tokens')}
      primary={!isEmpty && add}
      notice={!acting && <Notice tone="amber">{t('tokens.notice')}</Notice>}
      filters={
        marked.length > 0 ? (
          <SelectionBar
            count={marked.length}
            matching={listProps.totalCount}
            {...matching}
            isRunning={isRunning}
            onClear={clear}
          >
            <TokenBulkActions
              ids={marked}
              groups={(choices?.myGroups ?? []).map(({ name }) => name)}
              ownGroup={t('tokens.ownGroup')}
              onDone={refresh}
              onRunning={setRunning}
            />
          </SelectionBar>
        ) : (
          !isEmpty && (
            <FilterBar
              filters={grid.filters}
              search={{ label: t('tokens.search') }}
              fields={[
                {
                  name: 'status',
                  label: t('fields.status'),
                  choices: [
                    { value: 'ENABLED', label: t('fields.enabled') },
                    { value: 'DISABLED', label: t('fields.disabled') },
                    { value: 'EXPIRED', label: t('tokens.expired') },
                    { value: 'EXHAUSTED', label: t('tokens.exhausted') },
                  ],
                },
              ]}
            />
          )
        )
      }
    >
      <ListGrid
        label={t('shell.tokens')}
        columnsKey="tokens-table-columns"
        columns={columns}
        {...listProps}
        getRowId={(row) => row.id}
        onRowOpen={edit}
        rowHeight={48}
        selection={{ ids: selected, onChange: select }}
        renderCard={(row) => <TokenCard row={row} actions={actions} />}
        empty={
          <EmptyState
            icon={<VpnKeyOutlinedIcon />}
            title={t('tokens.emptyTitle')}
            text={t('tokens.emptyText')}
            action={add}
          >
            <Box sx={{ mt: 4, width: '100%', maxWidth: 640 }}>
              <CodeBlock text={curlExample(address, 'sk-…', exampleModel(models ?? []))} />
            </Box>
          </EmptyState>
        }
      />
      {((opened === 'new' && !(listProps.loading && !rows)) || editedRow) && (
        <TokenEditor
          key={opened}
          token={editedRow ?? null}
          {...(isEmpty ? { suggestedName: t('tokens.firstName') } : {})}
          onSaved={reload}
          onCreated={setUsed}
          onClosed={() => setOpened(null)}
        />
      )}
      {rotated && <RotateTokenDialog token={rotated} onRotated={setUsed} onClose={() => setRotated(null)} />}
      {used && <TokenUsageDialog token={used} onClose={closeUsage} />}
    </ListScreen>
  );
}
