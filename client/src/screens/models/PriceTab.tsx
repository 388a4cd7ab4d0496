import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { MayLink } from '../../components/MayLink.js';
import { Notice } from '../../components/Notice.js';
import { PlainTable } from '../../components/PlainTable.js';
import { Dash, Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { callPrice, percent, ratio, unitPrice } from '../../lib/format.js';
import { groupTone } from '../../nouns/groups/groupTone.js';
import { GroupChips } from '../../nouns/groups/GroupChips.js';
import { channelAddress } from '../../nouns/objects/addresses.js';
import { quantityLabel } from '../../nouns/prices/quantityTexts.js';
import { marginsOf } from './margins.js';
import { ModelSaleDocument, type ModelPriceLineFragment, type ModelSaleQuery } from './models.generated.js';

type Sale = ModelSaleQuery['modelSale'];

const originTexts = { TABLE: 'priceCard.fromTable', CARD: 'priceCard.fromCard', LIST: 'priceCard.fromList' } as const;

/** The price that each group pays for the model, its cost at the channels, and where the price is from. */
export function PriceTab({ name }: { readonly name: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(ModelSaleDocument, {
    variables: { name },
    fetchPolicy: 'cache-and-network',
  });
  const sale = data?.modelSale;
  if (!sale) {
    return error ? (
      <LoadFailure title={t('objects.priceFailed')} error={error} onRetry={() => void refetch()} />
    ) : (
      <Box aria-busy sx={{ minHeight: 200 }} />
    );
  }
  return (
    <>
      <Origin sale={sale} />
      {!sale.effective && <Notice tone="amber">{t('pricing.noPriceText')}</Notice>}
      {sale.costs.length === 0 ? (
        <Card>
          <EmptyState title={t('objects.notServed')} text={t('objects.notServedText')} />
        </Card>
      ) : (
        <>
          <Margins sale={sale} />
          <Costs sale={sale} />
        </>
      )}
    </>
  );
}

function Origin({ sale: { effective } }: { readonly sale: Sale }) {
  const { t } = useTranslation();
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '4px 8px', minHeight: 32, fontSize: 13 }}>
      {effective && (
        <>
          <Box component="span" sx={{ color: 'text.secondary' }}>
            {t('priceCard.from')}
          </Box>
          <ToneChip tone="outline">{t(originTexts[effective.source])}</ToneChip>
          {effective.asOf && (
            <Box component="span" className="num" sx={{ color: effective.isOld ? 'warning.main' : 'text.secondary' }}>
              {[effective.asOf, effective.isOld ? t('priceCard.old') : ''].filter(Boolean).join(' · ')}
            </Box>
          )}
        </>
      )}
    </Box>
  );
}

/** A price with its unit. */
const priceText = (t: TFunction, price: number, isPerMillion: boolean): string =>
  isPerMillion
    ? t('logs.billPerMillion', { price: unitPrice(price) })
    : t('pricing.perUnit', { price: callPrice(price) });

function Margins({ sale }: { readonly sale: Sale }) {
  const { t } = useTranslation();
  const heads = ['objects.quantity', 'objects.price', 'objects.cost', 'dashboard.marginTitle', 'profit.share'] as const;
  const money = (value: number, isPerMillion: boolean) => <Num>{priceText(t, value, isPerMillion)}</Num>;
  return (
    <PlainTable
      label={t('objects.marginByGroup')}
      title={t('objects.marginByGroup')}
      heads={heads.map((head) => t(head))}
      note={t('objects.marginNote')}
      isGrouped
    >
      {marginsOf(sale).map(({ group, factor, lines }) => (
        <tbody key={group}>
          <tr>
            <Box component="th" scope="rowgroup" colSpan={heads.length} sx={{ bgcolor: 'surface.sunken' }}>
              <ToneChip tone={groupTone(group)}>{group}</ToneChip> <Num>{`${ratio(factor)}×`}</Num>
            </Box>
          </tr>
          {lines.map(({ quantity, isPerMillion, price, least, most, margin }) => (
            <tr key={quantity}>
              <th scope="row">{quantityLabel(t, quantity)}</th>
              <td>{price === null ? <Dash /> : money(price, isPerMillion)}</td>
              <td>
                {least === null || most === null ? (
                  <Dash />
                ) : (
                  <>
                    {least < most && <Num>{`${isPerMillion ? unitPrice(least) : callPrice(least)} – `}</Num>}
                    {money(most, isPerMillion)}
                  </>
                )}
              </td>
              <Box component="td" sx={{ color: margin !== null && margin < 0 ? 'error.main' : undefined }}>
                {margin === null ? <Dash /> : money(margin, isPerMillion)}
              </Box>
              <td>{margin === null || !price ? <Dash /> : <Num>{percent(margin / price)}</Num>}</td>
            </tr>
          ))}
        </tbody>
      ))}
    </PlainTable>
  );
}

function Costs({ sale: { costs } }: { readonly sale: Sale }) {
  const { t } = useTranslation();
  const heads = ['fields.channel', 'fields.group', 'objects.costFrom', 'objects.cost'] as const;
  return (
    <PlainTable
      label={t('objects.costByChannel')}
      title={t('objects.costByChannel')}
      heads={heads.map((head) => t(head))}
    >
      {costs.map(({ channelId, channelName, groups, basis, factor, lines }) => (
        <tr key={channelId}>
          <th scope="row">
            <MayLink permission="CHANNELS_READ" to={channelAddress(channelId)}>
              {channelName}
            </MayLink>
          </th>
          <td>
            <GroupChips groups={groups} />
          </td>
          <td>
            {basis === null
              ? t('objects.costUnknown')
              : basis === 'CARD'
                ? t('priceCard.fromCard')
                : [t('priceCard.fromList'), factor === 1 ? '' : `× ${ratio(factor ?? 1)}`].filter(Boolean).join(' ')}
          </td>
          <td>{lines.length === 0 ? <Dash /> : <CostLines lines={lines} />}</td>
        </tr>
      ))}
    </PlainTable>
  );
}

function CostLines({ lines }: { readonly lines: readonly ModelPriceLineFragment[] }): ReactNode {
  const { t } = useTranslation();
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'flex-end', gap: '0 12px', minWidth: 220 }}>
      {lines.map(({ quantity, price, isPerMillion }) => (
        <span key={quantity} className="nowrap">
          <Box component="span" sx={{ color: 'text.secondary' }}>
            {quantityLabel(t, quantity)}
          </Box>{' '}
          <Num>{priceText(t, price, isPerMillion)}</Num>
        </span>
      ))}
    </Box>
  );
}
