import { useQuery } from '@apollo/client/react';
import Autocomplete from '@mui/material/Autocomplete';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Field } from '../../components/form/Field.js';
import { useBound, type BoundProps } from '../../components/form/inputs.js';
import { listTexts } from '../../components/form/listTexts.js';
import { useThrottled } from '../../lib/useThrottled.js';
import { AccountChoicesDocument, type AccountChoicesQuery } from './accountInput.generated.js';

export type Account = Pick<AccountChoicesQuery['users']['items'][number], 'id' | 'username'>;

const pauseMilliseconds = 300;

/** A user or an organisation, which the server finds by a part of its name. Its value is an `Account` or null. */
export function AccountInput<T extends FieldValues>(props: BoundProps<T>) {
  const { id, field, wrapper, aria, invalid } = useBound({ ...props, autoFocus: true });
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const [keyword, setKeyword] = useState('');
  const search = useThrottled(() => setKeyword(typed.trim()), pauseMilliseconds);
  const { data, loading } = useQuery(AccountChoicesDocument, { variables: { keyword } });
  return (
    <Field {...wrapper}>
      <Autocomplete<Account>
        {...listTexts(t)}
        id={id}
        loading={loading}
        loadingText={t('grid.loading')}
        autoHighlight
        options={data?.users.items ?? []}
        // The server also finds accounts by fields that the list does not show.
        filterOptions={(options) => options}
        getOptionLabel={({ id: account, username }) => `${username} (#${account})`}
        isOptionEqualToValue={(option, value) => option.id === value.id}
        value={field.value}
        onChange={(_, account) => field.onChange(account)}
        onInputChange={(_, text, reason) => {
          if (reason !== 'input') return;
          setTyped(text);
          search();
        }}
        onBlur={field.onBlur}
        renderInput={({ id: inputId, slotProps }) => (
          <OutlinedInput
            id={inputId}
            fullWidth
            autoFocus
            error={invalid}
            inputRef={field.ref}
            {...slotProps.input}
            inputProps={{ ...slotProps.htmlInput, ...aria }}
          />
        )}
      />
    </Field>
  );
}
