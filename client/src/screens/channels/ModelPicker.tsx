import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormControlLabel from '@mui/material/FormControlLabel';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TextFilter } from '../../components/grid/filterFields.js';
import { Ellipsis } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { useUnpricedModels } from '../../nouns/prices/UnpricedNotice.js';
import { groupByMaker } from '../../lib/modelMakers.js';

/** Choice of the provider's models: new ones and those already chosen, grouped by maker. */
export function ModelPicker({
  offered,
  chosen,
  onApply,
  onClose,
}: {
  readonly offered: readonly string[];
  readonly chosen: readonly string[];
  readonly onApply: (models: readonly string[]) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [selected, setSelected] = useState<ReadonlySet<string>>(() => new Set(chosen));
  const [search, setSearch] = useState('');
  const unpriced = useUnpricedModels(offered);
  const fresh = useMemo(() => [...new Set(offered)].filter((model) => !chosen.includes(model)), [offered, chosen]);
  const [tab, setTab] = useState<'new' | 'chosen'>(fresh.length > 0 ? 'new' : 'chosen');
  const models = (tab === 'new' ? fresh : chosen).filter((model) =>
    model.toLowerCase().includes(search.trim().toLowerCase()),
  );

  const set = (names: readonly string[], on: boolean) => {
    const next = new Set(selected);
    names.forEach((name) => {
      if (on) next.add(name);
      else next.delete(name);
    });
    setSelected(next);
  };

  return (
    <Dialog open onClose={onClose} maxWidth="sm" fullWidth>
      <DialogTitle>{t('channels.pickerTitle')}</DialogTitle>
      <DialogContent>
        <Tabs
          value={tab}
          onChange={(_, value: 'new' | 'chosen') => setTab(value)}
          sx={{ borderBottom: '1px solid', borderColor: 'divider', mb: 1.5 }}
        >
          <Tab value="new" label={t('channels.pickerNew', { count: fresh.length })} />
          <Tab value="chosen" label={t('channels.pickerChosen', { count: chosen.length })} />
        </Tabs>
        <TextFilter search label={t('channels.searchModels')} value={search} onChange={setSearch} width={260} />
        <Box sx={{ height: { sm: 320 }, overflowY: { sm: 'auto' }, mt: 1 }}>
          {models.length === 0 && (
            <Box sx={{ color: 'text.secondary', textAlign: 'center', pt: 8 }}>{t('channels.pickerEmpty')}</Box>
          )}
          {groupByMaker(models).map(({ maker, names }) => {
            const on = names.filter((name) => selected.has(name)).length;
            return (
              <Box key={maker} component="fieldset" sx={{ border: 0, p: 0, m: '8px 0 0', minWidth: 0 }}>
                <Box component="legend" sx={{ p: 0 }}>
                  <FormControlLabel
                    control={
                      <Checkbox
                        checked={on === names.length}
                        indeterminate={on > 0 && on < names.length}
                        onChange={() => set(names, on < names.length)}
                      />
                    }
                    label={`${maker === '' ? t('channels.otherMakers') : maker} (${names.length})`}
                    slotProps={{ typography: { variant: 'h3', component: 'span' } }}
                    // The leftmost position at which the scrolling list does not cut off the checkbox.
                    sx={{ ml: '-6px' }}
                  />
                </Box>
                <Box sx={{ display: 'grid', gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' }, pl: 1.5 }}>
                  {names.map((name) => (
                    <FormControlLabel
                      key={name}
                      control={
                        <Checkbox checked={selected.has(name)} onChange={(_, checked) => set([name], checked)} />
                      }
                      label={
                        <>
                          <Ellipsis title={name}>{name}</Ellipsis>
                          {unpriced.includes(name) && <ToneChip tone="amber">{t('unpriced.chip')}</ToneChip>}
                        </>
                      }
                      slotProps={{ typography: { variant: 'body2', className: 'cell-line', sx: { minWidth: 0 } } }}
                      sx={{ minWidth: 0, ml: '-6px', mr: 0 }}
                    />
                  ))}
                </Box>
              </Box>
            );
          })}
        </Box>
      </DialogContent>
      <DialogActions>
        {models.length > 0 && (
          <Button onClick={() => set(models, !models.every((name) => selected.has(name)))}>
            {models.every((name) => selected.has(name)) ? t('channels.selectNone') : t('grid.selectAll')}
          </Button>
        )}
        <Box className="num" role="status" sx={{ flex: 1, color: 'text.secondary' }}>
          {t('channels.selected', { count: selected.size })}
        </Box>
        <Button variant="outlined" onClick={onClose}>
          {t('actions.cancel')}
        </Button>
        <Button variant="contained" onClick={() => onApply([...selected])}>
          {t('actions.apply')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
