import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { RowMenu } from '../../components/RowMenu.js';
import { useAction } from '../../components/useAction.js';
import { RoleEditor } from './RoleEditor.js';
import { CustomRolesDocument, DeleteCustomRoleDocument, type CustomRolePartsFragment } from './roles.generated.js';
import { listText } from '../../lib/format.js';

/** The custom roles of the site, for root. */
export function RolesPanel() {
  const { t } = useTranslation();
  const act = useAction();
  const { data, error, refetch } = useQuery(CustomRolesDocument, { fetchPolicy: 'network-only' });
  const [remove] = useMutation(DeleteCustomRoleDocument);
  const [edited, setEdited] = useState<CustomRolePartsFragment | 'new' | null>(null);
  if (error && !data)
    return <LoadFailure title={t('customRoles.loadFailed')} error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton variant="rectangular" height={240} />;
  const { customRoles: roles, permissions } = data;
  const add = (
    <Button variant="contained" startIcon={<AddOutlinedIcon />} onClick={() => setEdited('new')}>
      {t('customRoles.add')}
    </Button>
  );
  const removeRole = ({ id, name }: CustomRolePartsFragment) =>
    act(
      async () => {
        await remove({ variables: { id } });
        await refetch();
        return t('customRoles.deleted', { name });
      },
      { title: t('customRoles.deleteTitle', { name }), body: t('customRoles.deleteBody') },
    );
  return (
    <Box sx={{ maxWidth: 760 }}>
      <Box
        sx={{ display: 'flex', flexWrap: 'wrap', gap: 2, alignItems: 'center', justifyContent: 'space-between', mb: 2 }}
      >
        <Typography variant="body2" sx={{ color: 'text.secondary', maxWidth: 520 }}>
          {t('customRoles.text')}
        </Typography>
        {roles.length > 0 && add}
      </Box>
      {roles.length === 0 ? (
        <EmptyState title={t('customRoles.empty')} text={t('customRoles.emptyText')} action={add} />
      ) : (
        <Card component="ul" sx={{ listStyle: 'none', margin: 0, padding: 0 }}>
          {roles.map((role) => (
            <Box
              key={role.id}
              component="li"
              sx={{
                display: 'flex',
                alignItems: 'center',
                gap: 2,
                padding: '12px 16px',
                borderTop: '1px solid',
                borderColor: 'divider',
                '&:first-of-type': { borderTop: 0 },
              }}
            >
              <Box sx={{ flex: 1, minWidth: 0 }}>
                <Box sx={{ fontWeight: 500, overflowWrap: 'anywhere' }}>{role.name}</Box>
                <Box sx={{ fontSize: 12.5, color: 'text.secondary' }}>
                  {listText(
                    role.permissions.map(
                      (one) => permissions.find(({ permission }) => permission === one)?.name ?? one,
                    ),
                  )}
                </Box>
              </Box>
              <Box className="num" sx={{ fontSize: 13, color: 'text.secondary', whiteSpace: 'nowrap' }}>
                {t('customRoles.users', { count: role.userCount ?? 0 })}
              </Box>
              <RowMenu
                label={t('customRoles.moreOf', { name: role.name })}
                actions={[
                  { label: t('actions.edit'), onSelect: () => setEdited(role) },
                  { label: t('actions.delete'), destructive: true, onSelect: () => void removeRole(role) },
                ]}
              />
            </Box>
          ))}
        </Card>
      )}
      {edited !== null && (
        <RoleEditor
          role={edited === 'new' ? null : edited}
          permissions={permissions}
          onSaved={() => void refetch()}
          onClosed={() => setEdited(null)}
        />
      )}
    </Box>
  );
}
