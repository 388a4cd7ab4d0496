import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MuiLink from '@mui/material/Link';
import Skeleton from '@mui/material/Skeleton';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import GroupsOutlinedIcon from '@mui/icons-material/GroupsOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { PageHead } from '../../components/PageHead.js';
import { ToneChip } from '../../components/Tone.js';
import { may } from '../../lib/permissions.js';
import { useSession } from '../../lib/session.js';
import { useStatus } from '../../lib/status.js';
import { useFormat } from '../../lib/useFormat.js';
import { organisationAddress } from './addresses.js';
import { CreateOrganisationDialog } from './CreateOrganisationDialog.js';
import { MyOrganisationsDocument } from './organisations.generated.js';
import { Row, RowList } from './RowList.js';

/** The organisations of which the user is a member. */
export function OrganisationsScreen() {
  const { t } = useTranslation();
  const { money } = useFormat();
  const viewer = useSession();
  const { organizationCreationEnabled } = useStatus();
  const creates = organizationCreationEnabled || may(viewer, 'USERS_WRITE');
  const [isCreating, setCreating] = useState(false);
  const { data, error, refetch } = useQuery(MyOrganisationsDocument, { fetchPolicy: 'cache-and-network' });
  const rows = data?.myOrganisations;
  const add = (
    <Button variant="contained" startIcon={<AddOutlinedIcon />} onClick={() => setCreating(true)}>
      {t('organisations.create')}
    </Button>
  );
  return (
    <Box sx={{ padding: { xs: 2, sm: 3 }, display: 'flex', flexDirection: 'column', gap: 2, maxWidth: 960 }}>
      <PageHead title={t('organisations.title')} primary={creates && rows && rows.length > 0 && add} />
      {rows ? (
        rows.length === 0 ? (
          <EmptyState
            icon={<GroupsOutlinedIcon />}
            title={t('organisations.emptyTitle')}
            text={t(creates ? 'organisations.emptyText' : 'organisations.invitedOnlyText')}
            action={creates && add}
          />
        ) : (
          <RowList label={t('organisations.title')}>
            {rows.map(({ id, name, role, memberCount, balance }) => (
              <Row
                key={id}
                title={
                  <>
                    <MuiLink component={Link} to={organisationAddress(id)} color="inherit" underline="hover">
                      {name}
                    </MuiLink>
                    {role && <ToneChip tone="outline">{t(`organisations.role_${role}`)}</ToneChip>}
                  </>
                }
                detail={t('organisations.members', { count: memberCount })}
                figure={balance ? money(balance.quota, 'balance') : undefined}
              />
            ))}
          </RowList>
        )
      ) : error ? (
        <LoadFailure title={t('organisations.listFailed')} error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton variant="rectangular" height={160} />
      )}
      {isCreating && <CreateOrganisationDialog onClose={() => setCreating(false)} />}
    </Box>
  );
}
