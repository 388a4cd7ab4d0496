import Autocomplete from '@mui/material/Autocomplete';
import Chip from '@mui/material/Chip';
import FormHelperText from '@mui/material/FormHelperText';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fromCommaList } from '../../lib/commaList.js';
import type { ControlProps } from './AreaControl.js';
import { checkDomain } from './settingsCheck.js';
import { useSetting } from './SettingsContext.js';

/** Email domains as chips. An invalid or duplicate entry stays in the field, with the reason below it. */
export function DomainsControl({ setting, id, describedBy }: ControlProps) {
  const { t } = useTranslation();
  const { value, change, writable } = useSetting(setting.key);
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState<string | null>(null);
  const domains = fromCommaList(value);

  const add = (text: string): void => {
    const next = [...domains];
    for (const entry of text.split(/[\s,]+/).filter(Boolean)) {
      const problem = checkDomain(entry, next, t);
      if (problem !== null) {
        setWrong(problem);
        setTyped(entry);
        change(next.join(','));
        return;
      }
      next.push(entry.toLowerCase());
    }
    setTyped('');
    setWrong(null);
    change(next.join(','));
  };

  return (
    <>
      <Autocomplete<string, true, false, true>
        multiple
        freeSolo
        clearText={t('grid.clearSelection')}
        id={id}
        options={[]}
        disabled={!writable}
        value={domains}
        inputValue={typed}
        onInputChange={(_, text, reason) => {
          if (reason === 'reset') return;
          setTyped(text);
          setWrong(null);
          if (/[\s,]/.test(text)) add(text);
        }}
        onChange={(_, next) => change(next.join(','))}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || typed.trim() === '') return;
          // The field itself shows no error for an entry that exists already.
          event.preventDefault();
          event.defaultMuiPrevented = true;
          add(typed);
        }}
        onBlur={() => {
          if (typed.trim() !== '') add(typed);
        }}
        renderValue={(chosen, getItemProps) =>
          chosen.map((domain, index) => {
            const { key, ...item } = getItemProps({ index });
            return <Chip key={key} {...item} label={domain} size="small" />;
          })
        }
        renderInput={(parameters) => (
          <OutlinedInput
            {...parameters.slotProps.input}
            id={parameters.id}
            fullWidth
            error={wrong !== null}
            placeholder={t('settings.addDomain')}
            inputProps={{
              ...parameters.slotProps.htmlInput,
              'aria-describedby': [describedBy, wrong && `${id}-entry`].filter(Boolean).join(' ') || undefined,
            }}
          />
        )}
      />
      {wrong && (
        <FormHelperText error id={`${id}-entry`} role="alert">
          {wrong}
        </FormHelperText>
      )}
    </>
  );
}
