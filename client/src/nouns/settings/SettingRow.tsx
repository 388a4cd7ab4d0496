import Box from '@mui/material/Box';
import FormHelperText from '@mui/material/FormHelperText';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import type { ControlProps } from './AreaControl.js';
import type { Setting } from './settingKinds.js';
import { SettingControl } from './SettingControl.js';
import { useSession } from '../../lib/session.js';
import { useSetting } from './SettingsContext.js';

/** Kinds whose control takes the full width below its label. */
const wide = new Set<Setting['kind']>([
  'lines',
  'content',
  'json',
  'domains',
  'chats',
  'image',
  'guardrails',
  'captures',
]);

export const settingId = (key: string): string => `setting-${key.replaceAll('.', '-')}`;

/** A setting: name and help at the left, its control at the right, or below if it is wide. */
export function SettingRow({
  setting,
  Control = SettingControl,
}: {
  readonly setting: Setting;
  /** Default: the control of its kind. */
  readonly Control?: ComponentType<ControlProps> | undefined;
}) {
  const { t, i18n } = useTranslation();
  const { changed, problem, writable } = useSetting(setting.key);
  const hasCustomRole = useSession()?.permissions !== undefined;
  const id = settingId(setting.key);
  const hintKey = `settings.hints.${setting.name}` as const;
  const hint = i18n.exists(hintKey) ? t(hintKey as 'settings.hints.quotaPerUnit') : '';
  const below = wide.has(setting.kind);
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <Box
      data-setting={setting.key}
      sx={({ vars }) => ({
        position: 'relative',
        mx: 2,
        padding: '12px 0',
        borderTop: `1px solid ${vars.palette.surface.line}`,
        display: 'flex',
        flexDirection: below ? 'column' : { xs: setting.kind === 'switch' ? 'row' : 'column', sm: 'row' },
        alignItems: below ? 'stretch' : { xs: setting.kind === 'switch' ? 'center' : 'stretch', sm: 'center' },
        justifyContent: 'space-between',
        gap: below ? 1 : { xs: 1, sm: 3 },
        scrollMarginTop: 72,
        '&[data-found]': { backgroundColor: 'action.selected' },
        '&::before': changed
          ? {
              content: '""',
              position: 'absolute',
              left: -16,
              top: 0,
              bottom: 0,
              width: 2,
              backgroundColor: vars.palette.primary.main,
            }
          : {},
      })}
    >
      <Box sx={{ minWidth: 0 }}>
        <Box
          component="label"
          id={`${id}-label`}
          htmlFor={id}
          sx={{ fontWeight: 500, fontSize: 13, lineHeight: '20px' }}
        >
          {t(`settings.rows.${setting.name}`)}
        </Box>
        {hint && (
          <Box id={`${id}-hint`} sx={{ fontSize: 12, lineHeight: '17px', color: 'text.secondary' }}>
            {hint}
          </Box>
        )}
        {!writable && (
          <Box sx={{ fontSize: 12, lineHeight: '17px', color: 'text.secondary' }}>
            {t(hasCustomRole ? 'settings.notByRole' : 'settings.rootOnly')}
          </Box>
        )}
      </Box>
      <Box sx={{ flexShrink: 0, minWidth: 0, width: controlWidth(setting) }}>
        <Control setting={setting} id={id} describedBy={described || undefined} />
        {problem && (
          <FormHelperText error id={`${id}-problem`} role="alert">
            {problem}
          </FormHelperText>
        )}
      </Box>
    </Box>
  );
}

function controlWidth({ kind }: Setting) {
  if (wide.has(kind)) return '100%';
  if (kind === 'switch') return 'auto';
  return kind === 'number' || kind === 'choice' ? { xs: '100%', sm: 180 } : { xs: '100%', sm: 280 };
}
