import { skipToken, useQuery } from '@apollo/client/react';
import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Dialog from '@mui/material/Dialog';
import IconButton from '@mui/material/IconButton';
import type { PopperProps } from '@mui/material/Popper';
import OutlinedInput from '@mui/material/OutlinedInput';
import CloseOutlinedIcon from '@mui/icons-material/CloseOutlined';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { adminRole, useSession } from '../../../lib/session.js';
import { useStatus } from '../../../lib/status.js';
import { useIsMobile } from '../../../lib/useMediaFlags.js';
import { useThrottled } from '../../../lib/useThrottled.js';
import { channelAddress, modelAddress, tokenAddress, userAddress } from '../../../nouns/objects/addresses.js';
import { PaletteSearchDocument } from './palette.generated.js';
import { matchingEntries, paletteEntries, requestEntry, type PaletteEntry } from './paletteEntries.js';

/** Milliseconds between a key and the search for users and channels. */
const searchPause = 250;

/** Number of models that are listed. */
const maxModels = 5;

/** Returns the models whose names have the text, those that begin with it first. */
const modelsLike = (models: readonly string[], text: string): string[] => {
  const wanted = text.toLowerCase();
  const begins = (name: string) => Number(name.toLowerCase().startsWith(wanted));
  return models
    .filter((name) => name.toLowerCase().includes(wanted))
    .sort((one, other) => begins(other) - begins(one))
    .slice(0, maxModels);
};

/** Renders the list inside the dialog instead of in a popper above it. */
const Inline = ({ children }: Pick<PopperProps, 'children'>) => (
  <Box>{typeof children === 'function' ? null : children}</Box>
);

/** Opens screens, settings, channels, models, users, API keys and requests by name or id. */
export function Palette({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog
      open={open}
      onClose={onClose}
      fullWidth
      maxWidth="sm"
      aria-label={t('palette.title')}
      sx={{ '& .MuiDialog-container': { alignItems: 'flex-start' } }}
    >
      <PaletteBody onClose={onClose} />
    </Dialog>
  );
}

function PaletteBody({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const user = useSession();
  const status = useStatus();
  // On phones the palette fills the screen, and there is no Escape key.
  const mobile = useIsMobile();
  const [query, setQuery] = useState('');
  const [keyword, setKeyword] = useState('');
  const search = useThrottled(() => setKeyword(query.trim()), searchPause);
  const found = useQuery(
    PaletteSearchDocument,
    (user?.role ?? 0) >= adminRole && keyword.length > 1
      ? { variables: { keyword }, fetchPolicy: 'no-cache' }
      : skipToken,
  ).data;
  const entries = useMemo(() => paletteEntries(user, status, t), [user, status, t]);
  const options: PaletteEntry[] = [
    ...requestEntry(query, t),
    ...matchingEntries(entries, query, t('shell.settings')),
    // Results for an earlier text would not match the current one.
    ...(keyword === query.trim() && found
      ? [
          ...(found.channels?.items ?? []).map(({ id, name }) => ({
            id: `channel ${id}`,
            group: t('shell.channels'),
            label: name,
            to: channelAddress(id),
          })),
          ...modelsLike(found.enabledModels ?? [], keyword).map((name) => ({
            id: `model ${name}`,
            group: t('fields.models'),
            label: name,
            to: modelAddress(name),
          })),
          ...(found.users?.items ?? []).map(({ id, username, displayName }) => ({
            id: `user ${id}`,
            group: t('shell.users'),
            to: userAddress(id),
            label: displayName && displayName !== username ? `${username} (${displayName})` : username,
          })),
          ...(found.tokens?.items ?? []).map(({ id, name, user: owner }) => ({
            id: `token ${id}`,
            group: t('shell.tokens'),
            to: tokenAddress(id),
            label: owner ? `${name} (${owner.username})` : name,
          })),
        ]
      : []),
  ];
  return (
    <Box sx={{ padding: 2 }}>
      <Autocomplete<PaletteEntry>
        open
        autoHighlight
        disablePortal
        options={options}
        groupBy={({ group }) => group}
        getOptionKey={({ id }) => id}
        getOptionLabel={({ label }) => label}
        filterOptions={(all) => all}
        value={null}
        inputValue={query}
        onInputChange={(_, text, reason) => {
          if (reason !== 'input') return;
          setQuery(text);
          search();
        }}
        onChange={(_, entry) => {
          if (!entry) return;
          onClose();
          void navigate(entry.to);
        }}
        onClose={(_, reason) => {
          if (reason === 'escape') onClose();
        }}
        noOptionsText={t('palette.nothing')}
        popupIcon={null}
        slots={{ popper: Inline }}
        slotProps={{
          paper: { elevation: 0, sx: { boxShadow: 'none', border: 0, mt: 1 } },
          listbox: { sx: { maxHeight: { xs: 'calc(100dvh - 96px)', sm: 'min(420px, 60dvh)' } } },
        }}
        renderInput={({ id, slotProps }) => (
          <OutlinedInput
            id={id}
            fullWidth
            autoFocus
            placeholder={t('palette.placeholder')}
            {...slotProps.input}
            {...(mobile && {
              endAdornment: (
                <IconButton aria-label={t('actions.close')} onClick={onClose}>
                  <CloseOutlinedIcon />
                </IconButton>
              ),
            })}
            inputProps={{ ...slotProps.htmlInput, 'aria-label': t('palette.title') }}
          />
        )}
      />
    </Box>
  );
}
