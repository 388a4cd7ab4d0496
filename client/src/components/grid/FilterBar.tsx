import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FilterListOutlinedIcon from '@mui/icons-material/FilterListOutlined';
import { useState, type ReactNode, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import { FilterSheet } from './FilterSheet.js';

export interface FilterBarProps {
  /** The most used filter: search, or the time range. */
  readonly main: ReactNode;
  /** The others; on narrow screens they move into a sheet. */
  readonly more?: ReactNode;
  /** Switches of the view, at the right end; on narrow screens in the sheet. */
  readonly views?: ReactNode;
  /** The Columns button, for grids only. */
  readonly end?: ReactNode;
  /** Number of filters in `more` that are set. */
  readonly activeCount: number;
  readonly isFiltered: boolean;
  /** Whether Query is a filled button, for screens without another one. */
  readonly filled?: boolean;
  readonly onQuery: () => void;
  readonly onReset: () => void;
}

/** One wrapping row of filters. Enter in any field submits. */
export function FilterBar({
  main,
  more,
  views,
  end,
  activeCount,
  isFiltered,
  filled = false,
  onQuery,
  onReset,
}: FilterBarProps) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const [sheet, setSheet] = useState(false);
  const query = (
    <Button type="submit" variant={filled ? 'contained' : 'outlined'}>
      {t('actions.query')}
    </Button>
  );
  const reset = isFiltered && <Button onClick={onReset}>{t('actions.reset')}</Button>;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    setSheet(false);
    onQuery();
  };

  if (!mobile) {
    return (
      <Box
        component="form"
        role="search"
        onSubmit={submit}
        sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}
      >
        {main}
        {more}
        {query}
        {reset}
        {(views ?? end) !== undefined && (
          <Box sx={{ ml: 'auto', display: 'flex', alignItems: 'center', gap: 1 }}>
            {views}
            {end}
          </Box>
        )}
      </Box>
    );
  }
  return (
    <Box component="form" role="search" onSubmit={submit} sx={{ display: 'flex', gap: 1 }}>
      <Box sx={{ flex: 1, minWidth: 0 }}>{main}</Box>
      {(more ?? views) !== undefined && (
        <Button variant="outlined" startIcon={<FilterListOutlinedIcon />} onClick={() => setSheet(true)}>
          {activeCount > 0 ? t('grid.filtersActive', { count: activeCount }) : t('grid.filters')}
        </Button>
      )}
      <FilterSheet open={sheet} onClose={() => setSheet(false)} onSubmit={submit}>
        {more}
        {views}
        <Box sx={{ display: 'flex', justifyContent: 'flex-end', gap: 1 }}>
          {reset}
          {query}
        </Box>
      </FilterSheet>
    </Box>
  );
}
