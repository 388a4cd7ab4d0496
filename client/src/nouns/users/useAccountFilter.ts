import { skipToken, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FilterField } from '../../components/grid/filterField.js';
import { useMay } from '../../lib/permissions.js';
import { AccountChoicesDocument } from './accountInput.generated.js';

/** A filter by account, found by a part of its name. Those who may not read users type its id. */
export function useAccountFilter({
  name,
  label,
  value,
}: {
  /** The name of the filter in the URL. */
  readonly name: string;
  readonly label: string;
  /** The id that is filtered by, or an empty text. */
  readonly value: string;
}): FilterField {
  const { t } = useTranslation();
  const readsUsers = useMay('USERS_READ');
  const [typed, setTyped] = useState<string | null>(null);
  // The name of the chosen account is not in the address.
  const keyword = typed ?? value;
  const asks = readsUsers && (typed !== null || value !== '');
  const { data, previousData, loading } = useQuery(
    AccountChoicesDocument,
    asks ? { variables: { keyword } } : skipToken,
  );
  if (!readsUsers) return { name, label, typed: 'digits' };
  return {
    name,
    label,
    typed: 'text',
    isLoading: loading,
    choices: (data ?? previousData)?.users.items.map(({ id, username }) => ({
      value: String(id),
      label: username,
    })),
    problemOf: (text) => (/^\d{1,9}$/.test(text) ? undefined : t('users.chooseAccount')),
    onType: setTyped,
  };
}
