import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useTranslation } from 'react-i18next';
import { RichText } from '../../components/RichText.js';
import { formatJson } from '../../lib/jsonText.js';
import type { Setting } from './settingKinds.js';
import { useIsOff, useSetting } from './SettingsContext.js';

export interface ControlProps {
  readonly setting: Setting;
  /** Element id of the control, for its label. */
  readonly id: string;
  readonly describedBy?: string | undefined;
}

/** Long text: one word per line, JSON with a Format button, or page content. */
export function AreaControl({ setting, id, describedBy }: ControlProps) {
  const { t } = useTranslation();
  const { value, change, problem, writable } = useSetting(setting.key);
  const disabled = useIsOff(setting) || !writable;
  const json = ['json', 'chats', 'guardrails', 'captures'].includes(setting.kind);
  return (
    <Box sx={{ position: 'relative' }}>
      {json && (
        <Button
          disabled={disabled}
          onClick={() => change(formatJson(value))}
          sx={{ position: 'absolute', right: 0, top: -34, minHeight: 24, padding: '2px 6px', fontSize: 12 }}
        >
          {t('form.formatJson')}
        </Button>
      )}
      <OutlinedInput
        id={id}
        fullWidth
        multiline
        minRows={setting.kind === 'content' ? 4 : 3}
        maxRows={10}
        value={value}
        error={problem !== null}
        disabled={disabled}
        placeholder={'example' in setting ? setting.example : setting.placeholder}
        onChange={(event) => change(event.target.value)}
        inputProps={{
          'aria-describedby': describedBy,
          'aria-invalid': problem !== null,
          spellCheck: !json,
          ...(json ? { className: 'mono' } : {}),
        }}
      />
      {setting.key === 'Footer' && <FooterPreview html={value} />}
    </Box>
  );
}

/** The footer as visitors see it, sanitized. */
function FooterPreview({ html }: { readonly html: string }) {
  const { t } = useTranslation();
  return (
    <Box
      component="section"
      aria-label={t('settings.footerPreview')}
      sx={({ vars }) => ({
        mt: 1,
        padding: '10px 12px',
        borderRadius: '6px',
        backgroundColor: vars.palette.surface.sunken,
        color: vars.palette.text.secondary,
        fontSize: 12,
        textAlign: 'center',
      })}
    >
      <Box aria-hidden sx={{ mb: '4px', textAlign: 'left' }}>
        {t('settings.footerPreview')}
      </Box>
      {html.trim() === '' ? t('shell.credit') : <RichText html text={html} />}
    </Box>
  );
}
