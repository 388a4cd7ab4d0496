import Box from '@mui/material/Box';
import CircularProgress from '@mui/material/CircularProgress';
import IconButton from '@mui/material/IconButton';
import MuiLink from '@mui/material/Link';
import Switch from '@mui/material/Switch';
import Tooltip from '@mui/material/Tooltip';
import BoltOutlinedIcon from '@mui/icons-material/BoltOutlined';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { Link } from 'react-router-dom';
import { GroupChips } from '../../components/GroupChips.js';
import { InlineNumber } from '../../components/grid/InlineNumber.js';
import { RowMenu } from '../../components/RowMenu.js';
import { Dash, Ellipsis, Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { fromCommaList } from '../../lib/commaList.js';
import { dollars } from '../../lib/format.js';
import type { useFormat } from '../../lib/useFormat.js';
import { ChannelStatus, ChannelStatusChip, ResponseChip, TypeMark } from './channelStatus.js';
import type { ChannelRowFragment } from './channels.generated.js';
import type { ChannelActions } from './useChannelActions.js';

export interface ChannelCellTools {
  readonly t: TFunction;
  readonly format: ReturnType<typeof useFormat>;
  readonly actions: ChannelActions;
  readonly typeLabel: (type: number) => string;
  /** Keeps the list's filters while the drawer is open. */
  readonly search: string;
  readonly openTests: (channel: ChannelRowFragment) => void;
  readonly edit: (channel: ChannelRowFragment) => void;
}

/** Widths sum to 1182: nothing scrolls sideways at 1440. */
export function channelColumns(tools: ChannelCellTools): GridColDef<ChannelRowFragment>[] {
  const { t, format, actions, typeLabel, search } = tools;
  return [
    {
      field: 'id',
      headerName: t('channels.id'),
      width: 50,
      renderCell: ({ row }) => <Num>{row.id}</Num>,
      cellClassName: 'quiet',
    },
    {
      field: 'name',
      headerName: t('channels.name'),
      flex: 1,
      minWidth: 140,
      renderCell: ({ row }) => (
        <MuiLink
          component={Link}
          to={`/channel/edit/${String(row.id)}${search}`}
          underline="hover"
          color="textPrimary"
          noWrap
          sx={{ fontWeight: 500 }}
        >
          {row.name}
        </MuiLink>
      ),
    },
    {
      field: 'group',
      headerName: t('channels.groups'),
      width: 126,
      sortable: false,
      renderCell: ({ row }) => <GroupChips groups={fromCommaList(row.group)} />,
    },
    {
      field: 'type',
      headerName: t('channels.type'),
      width: 132,
      renderCell: ({ row }) => (
        <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', minWidth: 0 }}>
          <TypeMark label={typeLabel(row.type)} />
          <Ellipsis title={typeLabel(row.type)}>{typeLabel(row.type)}</Ellipsis>
        </Box>
      ),
    },
    {
      field: 'tag',
      headerName: t('channels.tag'),
      width: 92,
      renderCell: ({ row }) => (row.tag ? <ToneChip tone="outline">{row.tag}</ToneChip> : <Dash />),
    },
    {
      field: 'status',
      headerName: t('channels.status'),
      width: 126,
      renderCell: ({ row }) => <ChannelStatusChip channel={row} />,
    },
    {
      field: 'responseTime',
      headerName: t('channels.response'),
      width: 100,
      renderCell: ({ row }) => <ResponseChip channel={row} />,
    },
    {
      field: 'usedQuota',
      headerName: t('channels.used'),
      width: 92,
      align: 'right',
      headerAlign: 'right',
      renderCell: ({ row }) => <Num>{format.money(row.usedQuota, 'balance')}</Num>,
    },
    {
      field: 'balance',
      headerName: t('channels.balance'),
      width: 86,
      align: 'right',
      headerAlign: 'right',
      renderCell: ({ row }) => (row.balanceUpdatedTime ? <Num>{dollars(row.balance, 2)}</Num> : <Dash />),
    },
    numberColumn(tools, 'priority', t('channels.priority'), -999),
    numberColumn(tools, 'weight', t('channels.weight'), 0),
    {
      field: 'actions',
      headerName: '',
      width: 112,
      sortable: false,
      align: 'right',
      renderCell: ({ row }) => <ChannelRowActions row={row} tools={{ ...tools, actions }} />,
    },
  ];
}

function numberColumn(
  { t, actions }: ChannelCellTools,
  field: 'priority' | 'weight',
  headerName: string,
  minimum: number,
): GridColDef<ChannelRowFragment> {
  return {
    field,
    headerName,
    width: 66,
    align: 'right',
    headerAlign: 'right',
    renderCell: ({ row }) => (
      <InlineNumber
        value={row[field]}
        minimum={minimum}
        label={t('channels.numberOf', { field: headerName, name: row.name })}
        onSave={(value) => actions.patch(row, { [field]: value })}
      />
    ),
  };
}

/** Test, menu and switch; the same on a card. */
export function ChannelRowActions({
  row,
  tools,
}: {
  readonly row: ChannelRowFragment;
  readonly tools: ChannelCellTools;
}) {
  const { t, actions } = tools;
  const testing = actions.testing.has(row.id);
  const label = t('channels.testOf', { name: row.name });
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5 }}>
      <Tooltip title={t('channels.test')}>
        <IconButton
          aria-label={label}
          aria-busy={testing}
          sx={{ width: 28, height: 28 }}
          onClick={() => {
            if (!testing) void actions.test(row);
          }}
        >
          {testing ? <CircularProgress size={14} aria-label={label} /> : <BoltOutlinedIcon />}
        </IconButton>
      </Tooltip>
      <RowMenu
        label={t('channels.moreOf', { name: row.name })}
        actions={[
          {
            label: t('channels.testModels'),
            onSelect: () => {
              tools.openTests(row);
            },
          },
          {
            label: t('actions.edit'),
            onSelect: () => {
              tools.edit(row);
            },
          },
          { label: t('actions.delete'), destructive: true, onSelect: () => void actions.remove(row) },
        ]}
      />
      <Switch
        checked={row.status === ChannelStatus.enabled}
        onChange={() => void actions.toggle(row)}
        slotProps={{ input: { 'aria-label': t('channels.enableOf', { name: row.name }) } }}
        sx={{ ml: 0.5 }}
      />
    </Box>
  );
}
