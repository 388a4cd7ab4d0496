import Box from '@mui/material/Box';
import MuiLink, { type LinkProps } from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { Link } from 'react-router-dom';
import { column, rightColumn } from '../../components/grid/columns.js';
import { Dash, Num } from '../../components/Text.js';
import { TokenStatusChip } from '../../nouns/tokens/TokenStatusChip.js';
import { ToneChip } from '../../components/Tone.js';
import { useActing, type Acting } from '../../lib/acting.js';
import { dateTime } from '../../lib/format.js';
import { groupTone } from '../../nouns/groups/groupTone.js';
import { KeyCell, ModelLimits, QuotaCell, TokenRowActions } from './tokenCells.js';
import { tokenAddress } from '../../nouns/objects/addresses.js';
import { TokenUse } from './TokenUse.js';
import type { TokenRowFragment } from './tokens.generated.js';
import type { TokenActions } from './useTokenActions.js';

/** A key with its member and project in the organisation for which the user acts. */
type PlacedToken = TokenRowFragment & { readonly memberId?: number | null; readonly projectId?: number | null };

/** The owner of each key, for users who see the keys of others, and its project. */
const placeColumns = (t: TFunction, { role, members, projects }: Acting): GridColDef<PlacedToken>[] => [
  ...(role === 'OWNER'
    ? [
        column<PlacedToken>('memberId', t('organisations.member'), 120, (row) =>
          row.memberId
            ? (members.find(({ id }) => id === row.memberId)?.username ?? row.memberId)
            : t('organisations.sharedKeys'),
        ),
      ]
    : []),
  column(
    'projectId',
    t('organisations.project'),
    120,
    (row) => projects.find(({ id }) => id === row.projectId)?.name ?? <Dash />,
  ),
];

/** The name, with a link to the page of the key unless the key is of an organisation, which has no such page. */
export function TokenName({
  row,
  ...look
}: { readonly row: TokenRowFragment } & Pick<LinkProps, 'color' | 'noWrap' | 'sx'>) {
  const acting = useActing();
  return acting ? (
    <Typography component="span" variant="inherit" {...look}>
      {row.name}
    </Typography>
  ) : (
    <MuiLink component={Link} to={tokenAddress(row.id)} underline="hover" {...look}>
      {row.name}
    </MuiLink>
  );
}

export function tokenColumns(
  t: TFunction,
  actions: TokenActions,
  acting: Acting | null = null,
): GridColDef<TokenRowFragment>[] {
  return [
    column('name', t('fields.name'), { flex: 1, minWidth: 176 }, (row) => (
      <Box sx={{ minWidth: 0 }}>
        <TokenName
          row={row}
          color="textPrimary"
          noWrap
          sx={{ display: 'block', maxWidth: '100%', fontWeight: 500, fontSize: 13, lineHeight: '18px' }}
        />
        <TokenUse token={row} />
      </Box>
    )),
    ...(acting ? placeColumns(t, acting) : []),
    column('maskedKey', t('fields.key'), 168, (row) => <KeyCell token={row} />),
    column('status', t('fields.status'), 100, (row) => <TokenStatusChip token={row} />),
    column('remainingQuota', t('fields.quota'), 180, (row) => <QuotaCell token={row} />),
    column('group', t('fields.group'), 96, (row) =>
      row.group ? <ToneChip tone={groupTone(row.group)}>{row.group}</ToneChip> : <Dash />,
    ),
    column('modelLimits', t('fields.models'), 92, (row) => <ModelLimits token={row} />),
    column('createdAt', t('fields.createdAt'), 136, (row) => <Quiet>{dateTime(row.createdAt)}</Quiet>),
    column('expiresAt', t('tokens.expires'), 136, (row) => <Expiry time={row.expiresAt} never={t('tokens.never')} />),
    rightColumn('actions', '', 92, (row) => <TokenRowActions row={row} actions={actions} />),
  ];
}

function Quiet({ children }: { readonly children: string }) {
  return (
    <Box component="span" sx={{ color: 'text.secondary' }}>
      <Num>{children}</Num>
    </Box>
  );
}

export function Expiry({ time, never }: { readonly time: string | null | undefined; readonly never: string }) {
  if (!time) return <Quiet>{never}</Quiet>;
  const past = new Date(time).getTime() < Date.now();
  return (
    <Box component="span" sx={{ color: past ? 'error.main' : 'text.secondary' }}>
      <Num>{dateTime(time)}</Num>
    </Box>
  );
}
