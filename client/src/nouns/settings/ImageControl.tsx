import Box from '@mui/material/Box';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ControlProps } from './AreaControl.js';
import { useSetting } from './SettingsContext.js';

/** The URL of an image, with a preview as in the top bar. */
export function ImageControl({ setting, id, describedBy }: ControlProps) {
  const { t } = useTranslation();
  const { value, change, problem, writable } = useSetting(setting.key);
  const [broken, setBroken] = useState('');
  const shown = /^https?:\/\/\S+$/.test(value) ? value : '';
  return (
    <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center' }}>
      <Box
        sx={({ vars }) => ({
          width: 40,
          height: 40,
          flexShrink: 0,
          display: 'grid',
          placeItems: 'center',
          borderRadius: '8px',
          border: `1px solid ${vars.palette.surface.line}`,
          backgroundColor: vars.palette.surface.sunken,
          color: vars.palette.text.disabled,
        })}
      >
        {shown && broken !== shown ? (
          <Box
            component="img"
            src={shown}
            alt={t('settings.logoPreview')}
            onError={() => setBroken(shown)}
            sx={{ width: 28, height: 28, objectFit: 'contain' }}
          />
        ) : (
          '–'
        )}
      </Box>
      <OutlinedInput
        id={id}
        fullWidth
        value={value}
        error={problem !== null}
        disabled={!writable}
        placeholder={setting.placeholder ?? ''}
        onChange={(event) => change(event.target.value)}
        inputProps={{ 'aria-describedby': describedBy, spellCheck: false }}
      />
    </Box>
  );
}
