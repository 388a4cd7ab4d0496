import Switch from '@mui/material/Switch';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/CopyButton.js';
import { RowMenu } from '../../components/RowMenu.js';
import { Dash, Ellipsis, Num } from '../../components/Text.js';
import { ToneChip, type Tone } from '../../components/Tone.js';
import { dateTime, integer, maskKey } from '../../lib/format.js';
import type { useFormat } from '../../lib/useFormat.js';
import type { RedemptionRowFragment } from './redemptions.generated.js';
import type { RedemptionRowActions } from './useRedemptionActions.js';

export const RedemptionStatus = { unused: 1, disabled: 2, used: 3 } as const;

/** Nobody can redeem it any more: shown in the colour of what is off. */
export const isSpent = ({
  status,
  isGift,
  maxUses,
  usedCount,
}: Pick<RedemptionRowFragment, 'status' | 'isGift' | 'maxUses' | 'usedCount'>): boolean =>
  status === RedemptionStatus.disabled || (isGift && maxUses >= 0 && usedCount >= maxUses);

export function RedemptionStatusChip({ status }: { readonly status: number }) {
  const { t } = useTranslation();
  const shown: Record<number, readonly [Tone, string]> = {
    [RedemptionStatus.unused]: ['green', t('redemptions.unused')],
    [RedemptionStatus.disabled]: ['grey', t('redemptions.disabled')],
    [RedemptionStatus.used]: ['outline', t('redemptions.used')],
  };
  const [tone, text] = shown[status] ?? (['grey', t('redemptions.unknown')] as const);
  return (
    <ToneChip dot tone={tone}>
      {text}
    </ToneChip>
  );
}

export function RedemptionActions({
  row,
  actions,
}: {
  readonly row: RedemptionRowFragment;
  readonly actions: RedemptionRowActions;
}) {
  const { t } = useTranslation();
  const { name, status } = row;
  return (
    <>
      <CopyButton value={row.key} label={t('redemptions.copyOf', { name })} shown={maskKey(row.key)} />
      <RowMenu
        label={t('redemptions.moreOf', { name })}
        actions={[
          {
            label: t('actions.edit'),
            disabled: status !== RedemptionStatus.unused,
            onSelect: () => {
              actions.edit(row);
            },
          },
          { label: t('actions.delete'), destructive: true, onSelect: () => void actions.remove(row) },
        ]}
      />
      <Switch
        checked={status === RedemptionStatus.unused}
        disabled={status === RedemptionStatus.used}
        onChange={() => void actions.toggle(row)}
        slotProps={{ input: { 'aria-label': t('redemptions.enableOf', { name }) } }}
      />
    </>
  );
}

export function redemptionColumns({
  t,
  format,
  actions,
}: {
  readonly t: TFunction;
  readonly format: ReturnType<typeof useFormat>;
  readonly actions: RedemptionRowActions;
}): GridColDef<RedemptionRowFragment>[] {
  const right = { align: 'right', headerAlign: 'right' } as const;
  return [
    { field: 'id', headerName: t('redemptions.id'), width: 72, renderCell: ({ row }) => <Num>{row.id}</Num> },
    {
      field: 'name',
      headerName: t('redemptions.name'),
      flex: 1,
      minWidth: 140,
      renderCell: ({ row }) => <Ellipsis title={row.name}>{row.name}</Ellipsis>,
    },
    {
      field: 'status',
      headerName: t('redemptions.status'),
      width: 116,
      renderCell: ({ row }) => <RedemptionStatusChip status={row.status} />,
    },
    {
      field: 'quota',
      headerName: t('redemptions.quota'),
      width: 116,
      ...right,
      renderCell: ({ row }) => <Num strong>{format.money(row.quota, 'balance')}</Num>,
    },
    {
      field: 'gift',
      headerName: t('redemptions.gift'),
      width: 160,
      ...right,
      sortable: false,
      renderCell: ({ row }) =>
        row.isGift ? (
          <Num>{`${integer(row.usedCount)} / ${row.maxUses < 0 ? '∞' : integer(row.maxUses)}`}</Num>
        ) : (
          <Dash />
        ),
    },
    {
      field: 'createdTime',
      headerName: t('redemptions.created'),
      width: 148,
      renderCell: ({ row }) => <Num>{dateTime(row.createdTime ?? null)}</Num>,
    },
    {
      field: 'usedUserId',
      headerName: t('redemptions.usedBy'),
      width: 96,
      sortable: false,
      ...right,
      renderCell: ({ row }) => (row.usedUserId > 0 ? <Num>{`#${String(row.usedUserId)}`}</Num> : <Dash />),
    },
    {
      field: 'actions',
      headerName: '',
      width: 140,
      sortable: false,
      align: 'right',
      renderCell: ({ row }) => <RedemptionActions row={row} actions={actions} />,
    },
  ];
}
