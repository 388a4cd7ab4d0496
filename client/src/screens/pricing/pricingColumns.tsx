import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import CheckOutlinedIcon from '@mui/icons-material/CheckOutlined';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/CopyButton.js';
import { RowCard } from '../../components/grid/CardList.js';
import { Dash, Ellipsis, Hidden, Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { callPrice, ratio as ratioText, unitPrice } from '../../lib/format.js';
import type { PricingQuery } from './pricing.generated.js';

type PricedModel = PricingQuery['pricing']['models'][number];

/** USD per million tokens at ratio 1. */
const unitPriceFactor = 2;

const inputPrice = (row: PricedModel, factor: number): string =>
  unitPrice((row.modelRatio ?? 0) * unitPriceFactor * factor);
const outputPrice = (row: PricedModel, factor: number): string =>
  unitPrice((row.modelRatio ?? 0) * unitPriceFactor * (row.completionRatio ?? 0) * factor);

function Availability({ available }: { readonly available: boolean }) {
  const { t } = useTranslation();
  return available ? (
    <Box component="span" sx={{ color: 'success.main', display: 'inline-flex' }}>
      <CheckOutlinedIcon sx={{ fontSize: 18 }} />
      <Hidden>{t('pricing.available')}</Hidden>
    </Box>
  ) : (
    <>
      <Dash />
      <Hidden>{t('pricing.unavailable')}</Hidden>
    </>
  );
}

export function pricingColumns({
  t,
  group,
  factor,
  view,
}: {
  readonly t: TFunction;
  readonly group: string;
  readonly factor: number;
  readonly view: (group: string) => void;
}): GridColDef<PricedModel>[] {
  const right = { align: 'right', headerAlign: 'right', sortable: false } as const;
  return [
    {
      field: 'available',
      headerName: t('pricing.availability'),
      width: 104,
      sortable: false,
      renderCell: ({ row }) => <Availability available={row.groups.includes(group)} />,
    },
    {
      field: 'modelName',
      headerName: t('fields.model'),
      flex: 1,
      minWidth: 200,
      sortable: false,
      renderCell: ({ row }) => (
        <Box sx={{ display: 'flex', alignItems: 'center', gap: '4px', minWidth: 0 }}>
          <Ellipsis title={row.modelName}>{row.modelName}</Ellipsis>
          <CopyButton size={26} value={row.modelName} label={t('pricing.copyName', { name: row.modelName })} />
        </Box>
      ),
    },
    {
      field: 'billing',
      headerName: t('pricing.billing'),
      width: 112,
      sortable: false,
      renderCell: ({ row }) => <BillingChip row={row} />,
    },
    {
      field: 'groups',
      headerName: t('pricing.groups'),
      width: 260,
      sortable: false,
      renderCell: ({ row }) => <GroupChoice row={row} group={group} view={view} />,
    },
    {
      field: 'ratio',
      headerName: t('settings.ratio'),
      width: 88,
      ...right,
      renderCell: ({ row }) => (row.modelPrice == null ? <Num>{ratioText(row.modelRatio ?? 0)}</Num> : <Dash />),
    },
    {
      field: 'input',
      headerName: t('settings.inputPrice'),
      width: 112,
      ...right,
      renderCell: ({ row }) => (
        <Num strong>
          {row.modelPrice == null
            ? inputPrice(row, factor)
            : t('fields.perCall', { price: callPrice((row.modelPrice ?? 0) * factor) })}
        </Num>
      ),
    },
    {
      field: 'output',
      headerName: t('settings.outputPrice'),
      width: 112,
      ...right,
      renderCell: ({ row }) => (row.modelPrice == null ? <Num strong>{outputPrice(row, factor)}</Num> : <Dash />),
    },
  ];
}

function BillingChip({ row }: { readonly row: PricedModel }) {
  const { t } = useTranslation();
  const perRequest = row.modelPrice != null;
  return (
    <ToneChip tone={perRequest ? 'violet' : 'grey'}>
      {perRequest ? t('settings.perRequest') : t('settings.perToken')}
    </ToneChip>
  );
}

/** The groups that can call a model. A click shows the prices for that group. */
function GroupChoice({
  row,
  group,
  view,
}: {
  readonly row: PricedModel;
  readonly group: string;
  readonly view: (group: string) => void;
}) {
  const { t } = useTranslation();
  return (
    <Box sx={{ display: 'flex', gap: '4px', overflow: 'hidden' }}>
      {row.groups.map((name) => (
        <ButtonBase
          key={name}
          aria-pressed={name === group}
          aria-label={t('pricing.viewGroup', { group: name })}
          onClick={(event) => {
            event.stopPropagation();
            view(name);
          }}
          sx={{ borderRadius: '4px', fontFamily: 'inherit' }}
        >
          <ToneChip tone={name === group ? 'teal' : 'outline'}>{name}</ToneChip>
        </ButtonBase>
      ))}
    </Box>
  );
}

export function PricingCard({
  row,
  group,
  factor,
  view,
}: {
  readonly row: PricedModel;
  readonly group: string;
  readonly factor: number;
  readonly view: (group: string) => void;
}) {
  const { t } = useTranslation();
  return (
    <RowCard
      title={row.modelName}
      value={<Availability available={row.groups.includes(group)} />}
      meta={
        <Num>
          {row.modelPrice == null
            ? t('settings.inOut', { input: inputPrice(row, factor), output: outputPrice(row, factor) })
            : t('fields.perCall', { price: callPrice((row.modelPrice ?? 0) * factor) })}
        </Num>
      }
      chips={
        <>
          <BillingChip row={row} />
          <GroupChoice row={row} group={group} view={view} />
        </>
      }
    />
  );
}
