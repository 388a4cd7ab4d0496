import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { column, rightColumn } from '../../components/grid/columns.js';
import { CopyButton } from '../../components/CopyButton.js';
import { MayLink } from '../../components/MayLink.js';
import { RowMenu } from '../../components/RowMenu.js';
import { RowSwitch } from '../../components/RowSwitch.js';
import { Dash, Ellipsis, Num } from '../../components/Text.js';
import { ToneChip, type Tone } from '../../components/Tone.js';
import { dateTime, integer, maskKey } from '../../lib/format.js';
import type { useFormat } from '../../lib/useFormat.js';
import type { RedemptionRowFragment, RedemptionsQuery, RedemptionStatus } from './redemptions.generated.js';
import type { RedemptionRowActions } from './useRedemptionActions.js';

/** A row of the list: a code, and who used it for readers of users. */
export type RedemptionListRow = NonNullable<RedemptionsQuery['redemptions']>['items'][number];

/** Whether a code is disabled or has no uses left; such rows are dimmed. */
export const isSpent = ({
  status,
  kind,
  maxUses,
  usedCount,
}: Pick<RedemptionRowFragment, 'status' | 'kind' | 'maxUses' | 'usedCount'>): boolean =>
  status === 'DISABLED' || (kind === 'GIFT' && typeof maxUses === 'number' && usedCount >= maxUses);

/** Whether a code that was not used can no longer be redeemed. */
const isExpired = ({ status, validUntil }: Pick<RedemptionRowFragment, 'status' | 'validUntil'>): boolean =>
  status === 'UNUSED' && typeof validUntil === 'string' && Date.parse(validUntil) <= Date.now();

export function RedemptionStatusChip({ row }: { readonly row: Pick<RedemptionRowFragment, 'status' | 'validUntil'> }) {
  const { t } = useTranslation();
  if (isExpired(row)) {
    return (
      <ToneChip dot tone="amber">
        {t('redemptions.expired')}
      </ToneChip>
    );
  }
  const shown: Record<RedemptionStatus, readonly [Tone, string]> = {
    UNUSED: ['green', t('redemptions.unused')],
    DISABLED: ['grey', t('fields.disabled')],
    USED: ['outline', t('redemptions.used')],
  };
  const [tone, text] = shown[row.status];
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
  const { batch: name, status } = row;
  return (
    <>
      <CopyButton value={row.key} label={t('redemptions.copyOf', { name })} shown={maskKey(row.key)} />
      <RowMenu
        label={t('redemptions.moreOf', { name })}
        actions={[
          {
            label: t('actions.edit'),
            disabled: status !== 'UNUSED',
            onSelect: () => actions.edit(row),
          },
          { label: t('redemptions.exportBatch', { name }), onSelect: () => actions.exportBatch(name) },
          { label: t('actions.delete'), destructive: true, onSelect: () => void actions.remove(row) },
        ]}
      />
      <RowSwitch
        label={t('redemptions.enableOf', { name })}
        checked={status === 'UNUSED'}
        disabled={status === 'USED'}
        onChange={() => void actions.toggle(row)}
      />
    </>
  );
}

/** How many uses a gift has had, of how many. */
function GiftUses({ row }: { readonly row: RedemptionListRow }) {
  return <Num>{`${integer(row.usedCount)} / ${typeof row.maxUses === 'number' ? integer(row.maxUses) : '∞'}`}</Num>;
}

/** The user of a normal code. Gifts have many. */
function UsedBy({ row: { kind, uses, redeemedBy } }: { readonly row: RedemptionListRow }) {
  const [use] = uses.items;
  if (kind !== 'ONCE' || !use) return <Dash />;
  return (
    <MayLink permission="USERS_READ" to={`/user/${use.userId}`} className="ellipsis">
      {redeemedBy?.username ?? `#${use.userId}`}
    </MayLink>
  );
}

/** The use of a code on a card: who used it, or how often a gift was used. Nothing for an unused code. */
export function CardUse({ row }: { readonly row: RedemptionListRow }) {
  if (row.kind === 'GIFT') return <GiftUses row={row} />;
  return row.uses.items.length > 0 ? <UsedBy row={row} /> : null;
}

export function redemptionColumns({
  t,
  format,
  actions,
}: {
  readonly t: TFunction;
  readonly format: ReturnType<typeof useFormat>;
  readonly actions: RedemptionRowActions;
}): GridColDef<RedemptionListRow>[] {
  return [
    column('id', t('fields.id'), 72, (row) => <Num>{row.id}</Num>),
    column('batch', t('fields.name'), { flex: 1, minWidth: 140 }, (row) => (
      <Ellipsis title={row.batch}>{row.batch}</Ellipsis>
    )),
    column('status', t('fields.status'), 116, (row) => <RedemptionStatusChip row={row} />),
    rightColumn('quota', t('fields.quota'), 116, (row) => <Num strong>{format.money(row.quota, 'balance')}</Num>),
    rightColumn('gift', t('redemptions.gift'), 172, (row) => (row.kind === 'GIFT' ? <GiftUses row={row} /> : <Dash />)),
    column('createdAt', t('fields.createdAt'), 148, (row) => <Num>{dateTime(row.createdAt)}</Num>),
    column('validUntil', t('redemptions.expires'), 148, (row) =>
      row.validUntil ? <Num>{dateTime(row.validUntil)}</Num> : <Dash />,
    ),
    column('usedBy', t('redemptions.usedBy'), { flex: 0.6, minWidth: 110 }, (row) => <UsedBy row={row} />),
    rightColumn('actions', '', 140, (row) => <RedemptionActions row={row} actions={actions} />),
  ];
}
