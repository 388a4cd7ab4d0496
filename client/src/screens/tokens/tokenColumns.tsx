import Box from '@mui/material/Box';
import MuiLink, { type LinkProps } from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { Link } from 'react-router-dom';
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
        {
          field: 'memberId',
          headerName: t('organisations.member'),
          width: 120,
          sortable: false,
          renderCell: ({ row }: { row: PlacedToken }) =>
            row.memberId
              ? (members.find(({ id }) => id === row.memberId)?.username ?? row.memberId)
              : t('organisations.sharedKeys'),
        },
      ]
    : []),
  {
    field: 'projectId',
    headerName: t('organisations.project'),
    width: 120,
    sortable: false,
    renderCell: ({ row }) => projects.find(({ id }) => id === row.projectId)?.name ?? <Dash />,
  },
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
    {
      field: 'name',
      headerName: t('fields.name'),
      flex: 1,
      minWidth: 176,
      renderCell: ({ row }) => (
        <Box sx={{ minWidth: 0 }}>
          <TokenName
            row={row}
            color="textPrimary"
            noWrap
            sx={{ display: 'block', maxWidth: '100%', fontWeight: 500, fontSize: 13, lineHeight: '18px' }}
          />
          <TokenUse token={row} />
        </Box>
      ),
    },
    ...(acting ? placeColumns(t, acting) : []),
    {
      field: 'maskedKey',
      headerName: t('fields.key'),
      width: 168,
      renderCell: ({ row }) => <KeyCell token={row} />,
    },
    {
      field: 'status',
      headerName: t('fields.status'),
      width: 100,
      renderCell: ({ row }) => <TokenStatusChip token={row} />,
    },
    {
      field: 'remainingQuota',
      headerName: t('fields.quota'),
      width: 180,
      renderCell: ({ row }) => <QuotaCell token={row} />,
    },
    {
      field: 'group',
      headerName: t('fields.group'),
      width: 96,
      renderCell: ({ row }) => (row.group ? <ToneChip tone={groupTone(row.group)}>{row.group}</ToneChip> : <Dash />),
    },
    {
      field: 'modelLimits',
      headerName: t('fields.models'),
      width: 92,
      renderCell: ({ row }) => <ModelLimits token={row} />,
    },
    {
      field: 'createdAt',
      headerName: t('fields.createdAt'),
      width: 136,
      renderCell: ({ row }) => <Quiet>{dateTime(row.createdAt)}</Quiet>,
    },
    {
      field: 'expiresAt',
      headerName: t('tokens.expires'),
      width: 136,
      renderCell: ({ row }) => <Expiry time={row.expiresAt} never={t('tokens.never')} />,
    },
    {
      field: 'actions',
      headerName: '',
      width: 92,
      align: 'right',
      renderCell: ({ row }) => <TokenRowActions row={row} actions={actions} />,
    },
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
