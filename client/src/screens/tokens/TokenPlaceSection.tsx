import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import Switch from '@mui/material/Switch';
import { useTranslation } from 'react-i18next';
import { DrawerSection } from '../../components/SideDrawer.js';
import type { Acting } from '../../lib/acting.js';
import type { CreateTokenInput } from './tokens.generated.js';

/** Where a new key of an organisation belongs. */
export interface TokenPlace {
  readonly projectId: number | null;
  readonly isShared: boolean;
}

export const noPlace: TokenPlace = { projectId: null, isShared: false };

export const placeInput = ({ projectId, isShared }: TokenPlace): Pick<CreateTokenInput, 'projectId' | 'isShared'> => ({
  ...(projectId === null ? {} : { projectId }),
  ...(isShared ? { isShared } : {}),
});

/** The project of a new key, and for owners whether it is of the organisation itself. Neither changes later. */
export function TokenPlaceSection({
  acting: { role, projects },
  place,
  onChange,
}: {
  readonly acting: Acting;
  readonly place: TokenPlace;
  readonly onChange: (place: TokenPlace) => void;
}) {
  const { t } = useTranslation();
  const open = projects.filter(({ archivedAt }) => !archivedAt);
  if (open.length === 0 && role !== 'OWNER') return null;
  return (
    <DrawerSection title={t('organisations.sharedKeys')}>
      {open.length > 0 && (
        <Box>
          <Box
            component="label"
            htmlFor="token-project"
            sx={{ display: 'block', fontWeight: 500, fontSize: 13, mb: 0.5 }}
          >
            {t('organisations.project')}
          </Box>
          <Select<number | ''>
            fullWidth
            displayEmpty
            inputProps={{ id: 'token-project' }}
            value={place.projectId ?? ''}
            onChange={({ target }) => onChange({ ...place, projectId: target.value === '' ? null : target.value })}
          >
            <MenuItem value="">{t('organisations.noProject')}</MenuItem>
            {open.map(({ id, name }) => (
              <MenuItem key={id} value={id}>
                {name}
              </MenuItem>
            ))}
          </Select>
        </Box>
      )}
      {role === 'OWNER' && (
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 2, justifyContent: 'space-between', minHeight: 40 }}>
          <Box>
            <Box component="label" htmlFor="token-shared" sx={{ fontWeight: 500, fontSize: 13, cursor: 'pointer' }}>
              {t('organisations.shared')}
            </Box>
            <Box sx={{ fontSize: 12, lineHeight: '17px', color: 'text.secondary' }}>
              {t('organisations.sharedHint')}
            </Box>
          </Box>
          <Switch
            checked={place.isShared}
            slotProps={{ input: { id: 'token-shared' } }}
            onChange={({ target }) => onChange({ ...place, isShared: target.checked })}
          />
        </Box>
      )}
    </DrawerSection>
  );
}
