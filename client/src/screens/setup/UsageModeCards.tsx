import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import Typography from '@mui/material/Typography';
import HelpOutlinedIcon from '@mui/icons-material/HelpOutlineOutlined';
import { useState } from 'react';
import { useController, type Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ContentDialog } from '../../components/ContentDialog.js';
import type { SetupValues, UsageMode } from './setupValues.js';

const modes = [
  { value: 'external', name: 'setup.external', text: 'setup.externalText', long: 'setup.externalLong' },
  { value: 'self', name: 'setup.self', text: 'setup.selfText', long: 'setup.selfLong' },
  { value: 'demo', name: 'setup.demo', text: 'setup.demoText', long: 'setup.demoLong' },
] as const satisfies readonly { value: UsageMode; name: string; text: string; long: string }[];

/** Choice of the usage mode: three cards, and a dialog that compares them. */
export function UsageModeCards({ control }: { readonly control: Control<SetupValues> }) {
  const { t } = useTranslation();
  const { field } = useController({ control, name: 'mode' });
  const [comparing, setComparing] = useState(false);
  return (
    <Card component="section" sx={{ padding: 2 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between', mb: 1 }}>
        <Typography id="setup-mode" variant="h2">
          {t('setup.mode')}
        </Typography>
        <Button startIcon={<HelpOutlinedIcon />} onClick={() => setComparing(true)}>
          {t('setup.compare')}
        </Button>
      </Box>
      <RadioGroup
        aria-labelledby="setup-mode"
        name={field.name}
        value={field.value}
        onChange={(_, value) => field.onChange(value)}
        sx={{ gap: 1, flexWrap: 'nowrap' }}
      >
        {modes.map(({ value, name, text }) => (
          <Box
            key={value}
            component="label"
            sx={({ vars }) => ({
              display: 'flex',
              alignItems: 'flex-start',
              gap: 0.5,
              padding: '6px 12px 10px 6px',
              borderRadius: '6px',
              cursor: 'pointer',
              border: `1px solid ${field.value === value ? vars.palette.primary.main : vars.palette.surface.lineStrong}`,
              backgroundColor: field.value === value ? vars.palette.action.selected : undefined,
              '&:hover': {
                borderColor: field.value === value ? vars.palette.primary.main : vars.palette.text.disabled,
              },
            })}
          >
            <Radio value={value} slotProps={{ input: { 'aria-describedby': `mode-${value}` } }} />
            <Box sx={{ pt: '5px' }}>
              <Box sx={{ fontSize: 14, fontWeight: 500, lineHeight: '22px' }}>{t(name)}</Box>
              <Box id={`mode-${value}`} sx={{ color: 'text.secondary' }}>
                {t(text)}
              </Box>
            </Box>
          </Box>
        ))}
      </RadioGroup>
      <ContentDialog open={comparing} title={t('setup.compareTitle')} onClose={() => setComparing(false)}>
        {modes.map(({ value, name, long }) => (
          <Box key={value} sx={{ py: 1 }}>
            <Typography variant="h3">{t(name)}</Typography>
            <Typography variant="body2" color="textSecondary">
              {t(long)}
            </Typography>
          </Box>
        ))}
      </ContentDialog>
    </Card>
  );
}
