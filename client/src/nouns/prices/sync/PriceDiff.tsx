import { useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import Switch from '@mui/material/Switch';
import PriceCheckOutlinedIcon from '@mui/icons-material/PriceCheckOutlined';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../components/EmptyState.js';
import { SelectFilter, TextFilter } from '../../../components/grid/filterFields.js';
import { ListGrid } from '../../../components/grid/ListGrid.js';
import { useAction } from '../../../components/useAction.js';
import { integer } from '../../../lib/format.js';
import { useLastAnswer } from '../../../lib/useLastAnswer.js';
import { useLocalGrid } from '../../../lib/useLocalGrid.js';
import { AmountField } from '../AmountField.js';
import { parseAmount } from '../priceTables.js';
import { DiffCard, diffColumns } from './diffColumns.js';
import { DiffDrawer } from './DiffDrawer.js';
import { choosableKinds, diffKinds, type DiffKind, type DiffLine } from './diffLine.js';
import { ApplyPricesDocument, PriceDiffDocument, PriceDiffNamesDocument } from './priceSync.generated.js';

/** The comparison of a check: filters, mark-up, selection, apply. */
export function PriceDiff({
  checkId,
  isBlocked,
  onApplied,
}: {
  readonly checkId: number;
  /** Whether prices have unsaved changes. */
  readonly isBlocked: boolean;
  readonly onApplied: () => void;
}) {
  const { t } = useTranslation();
  const act = useAction();
  const client = useApolloClient();
  const [markup, setMarkup] = useState('1');
  const [threshold, setThreshold] = useState('1');
  const [kind, setKind] = useState('');
  const [keyword, setKeyword] = useState('');
  const [served, setServed] = useState(true);
  const [open, setOpen] = useState<DiffLine | null>(null);
  const [selected, setSelected] = useState<ReadonlySet<string | number>>(new Set());
  /** Chosen sources by model, where sources disagree. */
  const [sources, setSources] = useState<ReadonlyMap<string, string>>(new Map());
  const [applyPrices, { loading: applying }] = useMutation(ApplyPricesDocument);
  const factor = parseAmount(markup);
  const percent = parseAmount(threshold);
  const terms = useDeferredValue(useMemo(() => ({ markup: factor || 1, threshold: percent ?? 1 }), [factor, percent]));
  const filter = {
    ...(kind === '' ? {} : { kinds: [kind as DiffKind] }),
    ...(keyword.trim() === '' ? {} : { keyword: keyword.trim() }),
    ...(served ? { isServed: true } : {}),
  };
  const [page, setPage] = useState(0);
  const local = useLocalGrid([], {
    isFiltered: kind !== '' || keyword !== '' || served,
    reset: () => {
      setKind('');
      setKeyword('');
      setServed(false);
    },
  });
  const grid = { ...local.grid, page, setPage };
  const { data, loading, error, refetch } = useQuery(PriceDiffDocument, {
    variables: { id: checkId, ...terms, filter, page, pageSize: grid.pageSize },
    fetchPolicy: 'cache-and-network',
  });
  const diff = useLastAnswer(data, error, JSON.stringify([terms, filter]))?.priceCheck?.diff;
  const counts = new Map(diff?.counts.map((each) => [each.kind, each.count]));
  const change = (work: () => void) => {
    work();
    setPage(0);
  };
  const choose = useCallback((model: string, source: string) => {
    setSources((chosen) => new Map(chosen).set(model, source));
    setSelected((chosen) => new Set(chosen).add(model));
  }, []);
  const columns = useMemo(() => diffColumns({ t, sources, choose }), [t, sources, choose]);

  const selectAll = () =>
    act(async () => {
      const kinds = kind === '' ? [...choosableKinds] : [kind as DiffKind];
      const found = await client.query({
        query: PriceDiffNamesDocument,
        variables: { id: checkId, ...terms, filter: { ...filter, kinds } },
        fetchPolicy: 'network-only',
      });
      setSelected(new Set([...selected, ...(found.data?.priceCheck?.diff.models ?? [])]));
    });
  const apply = () =>
    act(
      async () => {
        const choices = [...selected].map((model) => ({
          model: String(model),
          source: sources.get(String(model)) ?? null,
        }));
        const { data: answer } = await applyPrices({ variables: { input: { checkId, ...terms, choices } } });
        setSelected(new Set());
        setSources(new Map());
        onApplied();
        const changed = answer?.applyPrices?.update?.models.length ?? 0;
        return changed === 0 ? t('priceSync.nothing') : t('priceSync.applied', { count: changed });
      },
      {
        title: t('priceSync.applyTitle', { count: selected.size }),
        body: t('priceSync.applyBody'),
        verb: t('priceSync.apply'),
      },
    );

  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1.5 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, alignItems: 'flex-end' }}>
        <Box sx={{ width: 120 }}>
          <AmountField
            label={t('priceSync.markup')}
            prefix="×"
            value={markup}
            error={factor ? undefined : t('prices.enterNumber')}
            onChange={(text) => change(() => setMarkup(text))}
          />
        </Box>
        <Box sx={{ width: 120 }}>
          <AmountField
            label={t('priceSync.threshold')}
            prefix="%"
            value={threshold}
            error={percent === null ? t('prices.enterNumber') : undefined}
            onChange={(text) => change(() => setThreshold(text))}
          />
        </Box>
        <SelectFilter
          label={t('priceSync.kind')}
          all={t('priceSync.allKinds')}
          value={kind}
          onChange={(next) => change(() => setKind(next))}
          width={190}
          choices={diffKinds.map((value) => ({
            value,
            label: `${t(`priceSync.kinds.${value}`)} (${integer(counts.get(value) ?? 0)})`,
          }))}
        />
        <TextFilter
          search
          label={t('fields.modelName')}
          value={keyword}
          onChange={(text) => change(() => setKeyword(text))}
          width={200}
        />
        <FormControlLabel
          control={<Switch checked={served} onChange={(_, on) => change(() => setServed(on))} />}
          label={t('priceSync.served')}
          sx={{ ml: 0, gap: 1, minHeight: 32, '& .MuiFormControlLabel-label': { fontSize: 13 } }}
        />
      </Box>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center', minHeight: 32 }}>
        <Button
          variant="outlined"
          disabled={kind === 'DISAGREE' || !diff || diff.totalCount === 0}
          onClick={() => void selectAll()}
        >
          {kind === '' ? t('priceSync.selectChanges') : t('priceSync.selectKind')}
        </Button>
        {selected.size > 0 && (
          <>
            <Box className="num" role="status" sx={{ fontSize: 13, fontWeight: 500 }}>
              {t('grid.selected', { count: selected.size })}
            </Box>
            <Button onClick={() => setSelected(new Set())}>{t('grid.clearSelection')}</Button>
            <Button
              variant="contained"
              loading={applying}
              disabled={isBlocked || !factor || percent === null}
              onClick={() => void apply()}
              sx={{ ml: { sm: 'auto' } }}
            >
              {t('priceSync.applyCount', { count: selected.size })}
            </Button>
          </>
        )}
      </Box>
      <ListGrid
        label={t('priceSync.comparison')}
        grid={grid}
        columns={columns}
        rows={diff?.items}
        totalCount={diff?.totalCount ?? 0}
        loading={loading}
        error={error}
        onRetry={() => void refetch()}
        getRowId={(line) => line.model}
        onRowOpen={setOpen}
        currentRow={open?.model ?? null}
        selection={{ ids: selected, onChange: setSelected }}
        renderCard={(line) => (
          <DiffCard
            line={line}
            source={sources.get(line.model) ?? null}
            isSelected={selected.has(line.model)}
            onSelect={(on) => {
              const next = new Set(selected);
              if (on) next.add(line.model);
              else next.delete(line.model);
              setSelected(next);
            }}
          />
        )}
        empty={<EmptyState icon={<PriceCheckOutlinedIcon />} title={t('priceSync.empty')} />}
      />
      <DiffDrawer
        line={open}
        source={open ? (sources.get(open.model) ?? null) : null}
        onChoose={choose}
        onClose={() => setOpen(null)}
      />
    </Box>
  );
}
