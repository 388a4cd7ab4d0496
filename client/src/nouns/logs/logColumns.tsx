import MuiLink from '@mui/material/Link';
import Tooltip from '@mui/material/Tooltip';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { Link } from 'react-router-dom';
import { column, rightColumn } from '../../components/grid/columns.js';
import { MayLink } from '../../components/MayLink.js';
import { Dash, Num, TwoLines } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { count, dateTime, integer } from '../../lib/format.js';
import { groupTone } from '../groups/groupTone.js';
import type { useFormat } from '../../lib/useFormat.js';
import { useActing } from '../../lib/acting.js';
import { channelAddress, tokenAddress } from '../objects/addresses.js';
import { amountOf } from './logAmount.js';
import { isText, ModelCell, RetryPath, TimeChips, TypeCell } from './logCells.js';
import type { LogRow } from './logRow.js';

export interface LogColumnTools {
  readonly t: TFunction;
  readonly format: ReturnType<typeof useFormat>;
  readonly isAdmin: boolean;
  /** Opens a user. Null for readers who may not read other users: the names are then plain text. */
  readonly openUser: ((userId: number) => void) | null;
}

type Column = GridColDef<LogRow>;

/** Columns after the model that are empty without a call. */
const ofCalls: readonly string[] = ['durationMs', 'promptTokens', 'completionTokens'];

/** How many of them are shown. */
const emptyAfter = (api: {
  readonly current: { getVisibleColumns(): readonly { readonly field: string }[] };
}): number => api.current.getVisibleColumns().filter(({ field }) => ofCalls.includes(field)).length;

/** Widths sum to 1182 px with the admin's columns. */
export function logColumns({ t, format, isAdmin, openUser }: LogColumnTools): Column[] {
  const charged = (row: LogRow) => row.type === 'CONSUME';
  const tokens = (row: LogRow, value: number) =>
    charged(row) || row.type === 'TEST' ? <TokenCount value={value} /> : <Dash />;
  return [
    column('at', t('fields.time'), 150, (row) => <Num>{dateTime(row.at, 'seconds')}</Num>),
    ...(isAdmin
      ? [
          column<LogRow>('channelId', t('fields.channel'), 70, (row) =>
            row.channelId ? (
              <MayLink permission="CHANNELS_READ" to={channelAddress(row.channelId)}>
                <ToneChip tone="outline" hint={row.channelName}>{`#${row.channelId}`}</ToneChip>
              </MayLink>
            ) : (
              <Dash />
            ),
          ),
          column<LogRow>('username', t('logs.user'), 106, (row) =>
            !row.username ? (
              <Dash />
            ) : openUser && row.userId ? (
              <MuiLink
                component="button"
                type="button"
                color="inherit"
                underline="hover"
                className="cell-line"
                onClick={() => openUser(row.userId ?? 0)}
              >
                <TwoLines>{row.username}</TwoLines>
              </MuiLink>
            ) : (
              <TwoLines title={row.username}>{row.username}</TwoLines>
            ),
          ),
        ]
      : []),
    column('tokenName', t('logs.token'), 96, (row) =>
      !row.tokenName ? (
        <Dash />
      ) : row.tokenId ? (
        <TokenLink id={row.tokenId} name={row.tokenName} />
      ) : (
        <TwoLines title={row.tokenName}>{row.tokenName}</TwoLines>
      ),
    ),
    column('group', t('fields.group'), 80, (row) =>
      row.group ? <ToneChip tone={groupTone(row.group)}>{row.group}</ToneChip> : <Dash />,
    ),
    column('type', t('fields.type'), 86, (row) => <TypeCell type={row.type} />),
    column(
      'modelName',
      t('fields.model'),
      {
        flex: 1,
        minWidth: 150,
        // A text or an error takes the columns that only served calls fill.
        colSpan: (_value, row, _column, api) => (isText(row) || row.error ? 1 + emptyAfter(api) : 1),
      },
      (row) => <ModelCell row={row} />,
    ),
    column('durationMs', t('logs.timeFirst'), 124, (row) => <TimeChips row={row} />),
    rightColumn('promptTokens', t('fields.input'), 68, (row) => tokens(row, row.promptTokens)),
    rightColumn('completionTokens', t('fields.output'), 68, (row) => tokens(row, row.completionTokens)),
    rightColumn('quota', t('logs.costOrCredit'), 100, (row) => {
      const amount = amountOf(row, format);
      return amount === null ? <Dash /> : <Num strong={charged(row)}>{amount}</Num>;
    }),
    ...(isAdmin ? [column<LogRow>('retry', t('logs.retry'), 84, (row) => <RetryPath row={row} />)] : []),
  ];
}

function TokenCount({ value }: { readonly value: number }) {
  return value < 10_000 ? (
    <Num>{count(value)}</Num>
  ) : (
    <Tooltip title={integer(value)}>
      <span aria-label={integer(value)}>
        <Num>{count(value)}</Num>
      </span>
    </Tooltip>
  );
}

/** The key's name, with a link to its page. Keys of an organisation have none. */
function TokenLink({ id, name }: { readonly id: number; readonly name: string }) {
  const shown = <TwoLines title={name}>{name}</TwoLines>;
  if (useActing()) return shown;
  return (
    <MuiLink component={Link} to={tokenAddress(id)} color="inherit" underline="hover" className="cell-line">
      {shown}
    </MuiLink>
  );
}
