import { useMutation, useQuery } from '@apollo/client/react';
import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import { useTranslation } from 'react-i18next';
import { DrawerSection } from '../../components/SideDrawer.js';
import { useAction } from '../../components/useAction.js';
import { useFailureToast } from '../../components/useFailureToast.js';
import { GiveCustomRoleDocument, RoleChoicesDocument, type UserRowFragment } from './users.generated.js';

/** The custom role of a common user, for root. A choice applies at once, without the form around. */
export function RoleSection({ user, onSaved }: { readonly user: UserRowFragment; readonly onSaved: () => void }) {
  const { t } = useTranslation();
  const act = useAction();
  const { data, error } = useQuery(RoleChoicesDocument, { fetchPolicy: 'network-only' });
  useFailureToast(error, true);
  const choices = data?.customRoles ?? [];
  const [give] = useMutation(GiveCustomRoleDocument);
  const known = user.customRole && !choices.some(({ id }) => id === user.customRole?.id) ? [user.customRole] : [];
  const choose = (customRoleId: number | null) =>
    act(async () => {
      await give({ variables: { userId: user.id, customRoleId } });
      onSaved();
      return t('users.done');
    });
  return (
    <DrawerSection title={t('customRoles.one')} explanation={t('customRoles.ofUserText')}>
      <Select
        fullWidth
        value={user.customRole?.id ?? 0}
        onChange={({ target }) => void choose(target.value || null)}
        SelectDisplayProps={{ 'aria-label': t('customRoles.one') }}
      >
        <MenuItem value={0}>{t('customRoles.none')}</MenuItem>
        {[...choices, ...known].map(({ id, name }) => (
          <MenuItem key={id} value={id}>
            {name}
          </MenuItem>
        ))}
      </Select>
    </DrawerSection>
  );
}
