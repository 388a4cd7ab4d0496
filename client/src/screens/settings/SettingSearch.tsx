import Autocomplete from '@mui/material/Autocomplete';
import OutlinedInput from '@mui/material/OutlinedInput';
import InputAdornment from '@mui/material/InputAdornment';
import SearchOutlinedIcon from '@mui/icons-material/SearchOutlined';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { useSession } from '../../lib/session.js';
import { mayOpenSetting } from '../../nouns/settings/settingsAccess.js';
import { settingAddress, settingsByKey } from '../../nouns/settings/settingsByKey.js';
import { listTexts } from '../../components/form/listTexts.js';

interface Choice {
  readonly key: string;
  readonly label: string;
  readonly section: string;
  /** Everything that is searched, in lower case. */
  readonly text: string;
}

/** Finds a setting that the user may see by its name, help text or key, on every tab. */
export function SettingSearch() {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const user = useSession();
  const choices = useMemo(
    () =>
      [...settingsByKey.values()]
        .filter(({ setting }) => mayOpenSetting(user, setting.key))
        .map(({ section, setting }): Choice => {
          const label = t(`settings.rows.${setting.name}`);
          const hintKey = `settings.hints.${setting.name}` as const;
          const hint = i18n.exists(hintKey) ? t(hintKey as 'settings.hints.quotaPerUnit') : '';
          const name = t(`settings.sections.${section}`);
          return {
            key: setting.key,
            label,
            section: name,
            text: `${label} ${hint} ${name} ${setting.key}`.toLowerCase(),
          };
        }),
    [t, i18n, user],
  );
  return (
    <Autocomplete<Choice>
      {...listTexts(t)}
      options={choices}
      groupBy={({ section }) => section}
      getOptionKey={({ key }) => key}
      getOptionLabel={({ label }) => label}
      filterOptions={(all, { inputValue }) => {
        const words = inputValue.toLowerCase().split(/\s+/).filter(Boolean);
        return all.filter(({ text }) => words.every((word) => text.includes(word)));
      }}
      value={null}
      blurOnSelect
      clearOnBlur
      onChange={(_, choice) => {
        if (choice) void navigate(settingAddress(choice.key));
      }}
      noOptionsText={t('settings.searchNothing')}
      popupIcon={null}
      sx={{ width: { xs: '100%', sm: 260 } }}
      renderInput={({ id, slotProps }) => (
        <OutlinedInput
          id={id}
          fullWidth
          placeholder={t('settings.search')}
          {...slotProps.input}
          startAdornment={
            <InputAdornment position="start">
              <SearchOutlinedIcon sx={{ fontSize: 16 }} />
            </InputAdornment>
          }
          inputProps={{ ...slotProps.htmlInput, 'aria-label': t('settings.search') }}
        />
      )}
    />
  );
}
