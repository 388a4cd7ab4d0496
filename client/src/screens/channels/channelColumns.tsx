import type { GridColDef } from '@mui/x-data-grid';
import type { ReactNode } from 'react';
import { FailureRate, LastError, Rescued, ServedTime } from '../../nouns/health/ChannelHealthCells.js';
import { GroupChips } from '../../nouns/groups/GroupChips.js';
import { column, rightColumn } from '../../components/grid/columns.js';
import { InlineNumber } from '../../components/grid/InlineNumber.js';
import { Dash, Num, TwoLines } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { BalanceCell } from './BalanceCell.js';
import type { ChannelCellTools } from './channelCellTools.js';
import { ChannelRowActions } from './ChannelRowActions.js';
import {
  commonNumber,
  isTagRow,
  usedTogether,
  type ChannelItem,
  type ChannelListRow,
  type TagRow,
} from './channelRows.js';
import { CooldownChip } from './ChannelHealth.js';
import { ChannelName } from './ChannelName.js';
import { ChannelLossChip } from './ChannelLossChip.js';
import { HealthOf, type healthFields } from './ShownHealth.js';
import { ChannelStatusChip, ResponseChip, TypeMark } from './channelStatus.js';
import { TagChevron, TagGroups, TagName, TagNumber, TagResponse, TagRowActions, TagStatusChip } from './tagCells.js';

/** Renders a cell: one function for channels, one for tags. */
const cell =
  (channel: (row: ChannelItem) => ReactNode, head: (row: TagRow) => ReactNode = () => <Dash />) =>
  (row: ChannelListRow): ReactNode =>
    isTagRow(row) ? head(row) : channel(row);

/** Wide enough for the texts of chips. `hiddenBelow` of the screen keeps the names readable on narrower windows. */
export function channelColumns(tools: ChannelCellTools): GridColDef<ChannelListRow>[] {
  const { t, format, typeLabel } = tools;
  return [
    column(
      'id',
      t('fields.id'),
      { width: 46, cellClassName: 'quiet' },
      cell(
        (row) => <Num>{row.id}</Num>,
        (row) => <TagChevron row={row} tags={tools.tags} />,
      ),
    ),
    column(
      'name',
      t('fields.name'),
      { flex: 1, minWidth: 160 },
      cell(
        (row) => (
          <span className="cell-line">
            <ChannelName row={row} />
            <ChannelLossChip losses={tools.losses.get(row.id)} />
          </span>
        ),
        (row) => <TagName row={row} />,
      ),
    ),
    column(
      'group',
      t('channels.groups'),
      100,
      cell(
        (row) => <GroupChips groups={row.groups} />,
        (row) => <TagGroups row={row} />,
      ),
    ),
    column(
      'type',
      t('fields.type'),
      148,
      cell((row) => (
        <span className="cell-line">
          <TypeMark label={typeLabel(row.type)} />
          <TwoLines title={typeLabel(row.type)}>{typeLabel(row.type)}</TwoLines>
        </span>
      )),
    ),
    column(
      'tag',
      t('channels.tag'),
      92,
      cell((row) => (row.tag ? <ToneChip tone="outline">{row.tag}</ToneChip> : <Dash />)),
    ),
    column(
      'status',
      t('fields.status'),
      130,
      cell(
        (row) => <CooldownChip channel={row} otherwise={<ChannelStatusChip channel={row} />} />,
        (row) => <TagStatusChip row={row} />,
      ),
    ),
    column(
      'responseTime',
      t('channels.response'),
      94,
      cell(
        (row) => <ResponseChip channel={row} />,
        (row) => <TagResponse row={row} />,
      ),
    ),
    ...healthColumns(tools),
    rightColumn(
      'usedQuota',
      t('channels.used'),
      88,
      cell(
        (row) => <Num>{format.money(row.usedQuota, 'balance')}</Num>,
        (row) => <Num>{format.money(usedTogether(row), 'balance')}</Num>,
      ),
    ),
    rightColumn(
      'balance',
      t('fields.balance'),
      104,
      cell((row) => <BalanceCell row={row} actions={tools.writes ? tools.actions : null} />),
    ),
    numberColumn(tools, 'priority', t('channels.priorityColumn'), -999),
    numberColumn(tools, 'weight', t('channels.weight'), 0),
    rightColumn(
      'actions',
      '',
      106,
      cell(
        (row) => <ChannelRowActions row={row} tools={tools} />,
        (row) => tools.writes && <TagRowActions row={row} tags={tools.tags} />,
      ),
    ),
  ];
}

function numberColumn(
  { t, actions, tags, writes }: ChannelCellTools,
  field: 'priority' | 'weight',
  headerName: string,
  minimum: number,
): GridColDef<ChannelListRow> {
  return rightColumn(
    field,
    headerName,
    field === 'priority' ? 68 : 66,
    cell(
      (row) =>
        writes ? (
          <InlineNumber
            value={row[field]}
            minimum={minimum}
            label={t('channels.numberOf', { field: headerName, name: row.name })}
            onSave={(value) => actions.patch(row, { [field]: value })}
          />
        ) : (
          <Num>{row[field]}</Num>
        ),
      (row) =>
        writes ? (
          <TagNumber row={row} field={field} name={headerName} minimum={minimum} tags={tags} />
        ) : (
          <Num>{commonNumber(row, field) ?? '–'}</Num>
        ),
    ),
  );
}

/** Figures of the last hour. All but the failure rate are hidden until the user chooses them. */
function healthColumns({ t }: ChannelCellTools): GridColDef<ChannelListRow>[] {
  const health = (
    field: (typeof healthFields)[number],
    headerName: string,
    width: number,
    Cell: Parameters<typeof HealthOf>[0]['Cell'],
  ) =>
    column(
      field,
      headerName,
      width,
      cell((row) => <HealthOf id={row.id} Cell={Cell} />),
    );
  return [
    health('failureRate', t('channelHealth.failureRate'), 96, FailureRate),
    health('served', t('channelHealth.served'), 132, ServedTime),
    health('rescued', t('channelHealth.rescued'), 100, Rescued),
    health('lastError', t('channelHealth.lastError'), 240, LastError),
  ];
}
