import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import FilterListOutlinedIcon from '@mui/icons-material/FilterListOutlined';
import { useState, type ReactNode, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { TextFilter } from '../../components/grid/filterFields.js';
import { FilterSheet } from '../../components/grid/FilterSheet.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';

/** The title of the dashboard, and its controls. A phone has one row of controls, and the others in a sheet. */
export function DashboardControls({
  views,
  range,
  username,
  onUsername,
  actions,
}: {
  readonly views: ReactNode;
  /** The field of the time range. */
  readonly range: ReactNode;
  /** The user whose usage is shown; empty: of all users. Null: there is no choice of a user. */
  readonly username: string | null;
  readonly onUsername: (username: string) => void;
  readonly actions: ReactNode;
}) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const [isOpen, setOpen] = useState(false);
  const [draft, setDraft] = useState(username ?? '');
  const [shown, setShown] = useState(username);
  if (shown !== username) {
    setShown(username);
    setDraft(username ?? '');
  }
  // Enter submits; so does clearing the field.
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    setOpen(false);
    if (username !== null) onUsername(draft.trim());
  };
  const user = username !== null && (
    <TextFilter
      label={t('fields.username')}
      value={draft}
      onChange={(next) => {
        setDraft(next);
        if (next === '') onUsername('');
      }}
      width={150}
    />
  );
  const title = (
    <Typography variant="h1" sx={{ mr: 'auto' }}>
      {t('shell.dashboard')}
    </Typography>
  );
  if (!mobile) {
    return (
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
        {title}
        {views}
        {range}
        {user && (
          <Box component="form" role="search" onSubmit={submit}>
            {user}
          </Box>
        )}
        {actions}
      </Box>
    );
  }
  return (
    <>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
        {title}
        {actions}
      </Box>
      <Box sx={{ display: 'flex', gap: 1 }}>
        <Box sx={{ flex: 1, minWidth: 0 }}>{range}</Box>
        <Button variant="outlined" startIcon={<FilterListOutlinedIcon />} onClick={() => setOpen(true)}>
          {username ? t('grid.filtersActive', { count: 1 }) : t('grid.filters')}
        </Button>
      </Box>
      <FilterSheet open={isOpen} onClose={() => setOpen(false)} onSubmit={submit}>
        {views}
        {user}
        <Box sx={{ display: 'flex', justifyContent: 'flex-end' }}>
          <Button type="submit" variant="outlined">
            {t('actions.query')}
          </Button>
        </Box>
      </FilterSheet>
    </>
  );
}
