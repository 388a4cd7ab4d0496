import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import MenuItem from '@mui/material/MenuItem';
import OutlinedInput from '@mui/material/OutlinedInput';
import Select from '@mui/material/Select';
import Switch from '@mui/material/Switch';
import DeleteOutlinedIcon from '@mui/icons-material/DeleteOutlineOutlined';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../components/ConfirmProvider.js';
import { labelledSelect } from '../../components/form/labelledSelect.js';
import { AreaControl, type ControlProps } from './AreaControl.js';
import { ChatLinksControl } from './ChatLinksControl.js';
import { DomainsControl } from './DomainsControl.js';
import { ImageControl } from './ImageControl.js';
import { useIsOff, useSetting } from './SettingsContext.js';

export function SettingControl(props: ControlProps) {
  switch (props.setting.kind) {
    case 'switch':
      return <SwitchControl {...props} />;
    case 'choice':
      return <ChoiceControl {...props} />;
    case 'domains':
      return <DomainsControl {...props} />;
    case 'chats':
      return <ChatLinksControl {...props} />;
    case 'image':
      return <ImageControl {...props} />;
    case 'json':
    case 'guardrails':
    case 'captures':
    case 'lines':
    case 'content':
      return <AreaControl {...props} />;
    default:
      return <LineControl {...props} />;
  }
}

function SwitchControl({ setting, id, describedBy }: ControlProps) {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const { value, change, writable } = useSetting(setting.key);
  const toggle = async (on: boolean) => {
    const question = {
      title: t('settings.passwordOffTitle'),
      body: t('settings.passwordOffBody'),
      verb: t('settings.passwordOff'),
      destructive: true,
    };
    if (setting.key === 'PasswordLoginEnabled' && !on && !(await confirm(question))) return;
    change(String(on));
  };
  return (
    <Switch
      checked={value === 'true'}
      disabled={!writable}
      onChange={(_, on) => void toggle(on)}
      slotProps={{ input: { id, role: 'switch', 'aria-describedby': describedBy } }}
    />
  );
}

function ChoiceControl({ setting, id, describedBy }: ControlProps) {
  const { t } = useTranslation();
  const { value, change, writable } = useSetting(setting.key);
  if (setting.kind !== 'choice') return null;
  return (
    <Select
      fullWidth
      value={value}
      disabled={!writable}
      onChange={(event) => change(event.target.value)}
      {...labelledSelect(id, describedBy)}
    >
      {setting.choices.map((choice) => (
        <MenuItem key={choice} value={choice}>
          {t(`settings.choices.${choice}`)}
        </MenuItem>
      ))}
    </Select>
  );
}

/** Text, a number with its unit, or a write-only secret. */
function LineControl({ setting, id, describedBy }: ControlProps) {
  const { t } = useTranslation();
  const { value, change, changed, remove, problem, writable, isSet } = useSetting(setting.key);
  const numeric = setting.kind === 'number';
  const unit = numeric ? setting.unit : undefined;
  const off = useIsOff(setting);
  return (
    <OutlinedInput
      id={id}
      fullWidth
      value={value}
      error={problem !== null}
      disabled={!writable || off}
      type={setting.kind === 'secret' ? 'password' : 'text'}
      placeholder={
        setting.kind !== 'secret'
          ? setting.placeholder
          : !isSet
            ? t('settings.secretUnset')
            : changed
              ? t('settings.secretRemoved')
              : t('settings.secretUnchanged')
      }
      onChange={(event) => change(event.target.value)}
      onKeyDown={(event) => {
        const step = numeric ? (setting.step ?? 0) : 0;
        const direction = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
        if (step === 0 || direction === 0 || !/^\d+$/.test(value)) return;
        event.preventDefault();
        change(String(Math.max(0, Number(value) + direction * step)));
      }}
      endAdornment={
        <>
          {unit && <InputAdornment position="end">{t(`settings.units.${unit}`)}</InputAdornment>}
          {setting.kind === 'secret' && isSet && writable && !changed && (
            <IconButton aria-label={t('settings.secretRemove')} onClick={remove} sx={{ width: 28, height: 28 }}>
              <DeleteOutlinedIcon />
            </IconButton>
          )}
        </>
      }
      inputProps={{
        'aria-describedby': describedBy,
        'aria-invalid': problem !== null,
        autoComplete: setting.kind === 'secret' ? 'new-password' : 'off',
        spellCheck: false,
        ...(numeric ? { className: 'num', inputMode: 'decimal', style: { textAlign: 'right' } } : {}),
      }}
    />
  );
}
