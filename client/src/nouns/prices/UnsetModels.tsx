import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import PriceCheckOutlinedIcon from '@mui/icons-material/PriceCheckOutlined';
import type { GridColDef } from '@mui/x-data-grid';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { RowCard } from '../../components/grid/CardList.js';
import { column, rightColumn } from '../../components/grid/columns.js';
import { TextFilter } from '../../components/grid/filterFields.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { Ellipsis } from '../../components/Text.js';
import { byName } from '../../lib/nameMatch.js';
import { useLocalGrid } from '../../lib/useLocalGrid.js';
import { BatchPriceDialog } from './BatchPriceDialog.js';
import type { Prices } from './usePrices.js';

/** Models of enabled channels that have no price. */
export function UnsetModels({ prices }: { readonly prices: Prices }) {
  const { t } = useTranslation();
  const [keyword, setKeyword] = useState('');
  const [selected, setSelected] = useState<ReadonlySet<string | number>>(new Set());
  const [setting, setSetting] = useState<readonly string[] | null>(null);
  const unset = useMemo(() => {
    const priced = new Set(prices.rows.map(({ model }) => model));
    return prices.unpricedModels?.filter((model) => !priced.has(model)).map((model) => ({ model }));
  }, [prices.unpricedModels, prices.rows]);
  const shown = useMemo(() => byName(unset ?? [], ({ model }) => model, keyword), [unset, keyword]);
  const grid = useLocalGrid(shown, {
    isFiltered: keyword !== '',
    reset: () => setKeyword(''),
  });
  const columns: GridColDef<{ model: string }>[] = [
    column('model', t('fields.model'), { flex: 1 }, (row) => <Ellipsis>{row.model}</Ellipsis>),
    rightColumn('actions', '', 120, (row) => (
      <Button onClick={() => setSetting([row.model])}>{t('prices.setPrice')}</Button>
    )),
  ];
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1.5 }}>
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', minHeight: 32 }}>
        {selected.size > 0 ? (
          <>
            <Box className="num" role="status" sx={{ fontSize: 13, fontWeight: 500, mr: 1 }}>
              {t('grid.selected', { count: selected.size })}
            </Box>
            <Button variant="outlined" onClick={() => setSetting([...selected].map(String))}>
              {t('prices.batchSet')}
            </Button>
            <Button onClick={() => setSelected(new Set())}>{t('grid.clearSelection')}</Button>
          </>
        ) : (
          <TextFilter search label={t('fields.modelName')} value={keyword} onChange={setKeyword} width={240} />
        )}
      </Box>
      <ListGrid
        label={t('prices.viewUnset')}
        grid={grid.grid}
        columns={columns}
        rows={unset && grid.rows}
        totalCount={shown.length}
        loading={unset === undefined}
        onRetry={() => undefined}
        getRowId={(row) => row.model}
        selection={{ ids: selected, onChange: setSelected }}
        renderCard={(row) => (
          <RowCard
            title={row.model}
            end={<Button onClick={() => setSetting([row.model])}>{t('prices.setPrice')}</Button>}
          />
        )}
        empty={<EmptyState icon={<PriceCheckOutlinedIcon />} title={t('prices.allPriced')} />}
      />
      {setting && (
        <BatchPriceDialog
          models={setting}
          prices={prices}
          onClose={() => setSetting(null)}
          onSet={(next) => {
            prices.put(next);
            setSelected(new Set());
            setSetting(null);
          }}
        />
      )}
    </Box>
  );
}
