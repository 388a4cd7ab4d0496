import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../components/CodeBlock.js';
import { CopyButton } from '../../components/CopyButton.js';
import { GroupChips } from '../../nouns/groups/GroupChips.js';
import { Notice } from '../../components/Notice.js';
import { DrawerSection, NameValues, SideDrawer } from '../../components/SideDrawer.js';
import { Num } from '../../components/Text.js';
import { callPrice, integer, ratio, unitPrice } from '../../lib/format.js';
import { makerOf } from '../../lib/modelMakers.js';
import { conditionKey } from '../../nouns/prices/quantities.js';
import { conditionLabel, quantityTexts } from '../../nouns/prices/quantityTexts.js';
import { useBaseAddress } from '../../lib/status.js';
import { pricesFor, tiersFor, type PricedModel, type PriceTier, type QuantityPrice } from './modelPrice.js';

const curlOf = (address: string, model: string): string =>
  `curl ${address}/v1/chat/completions \\
  -H "Authorization: Bearer sk-…" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"${model}","messages":[{"role":"user","content":"Hi"}]}'`;

/** All that a customer can know of a model: limits, prices with tiers, an example. */
export function ModelDrawer({
  model,
  group,
  factor,
  onClose,
}: {
  readonly model: PricedModel;
  readonly group: string;
  readonly factor: number;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const address = useBaseAddress();
  const prices = pricesFor(model, factor);
  const tiers = tiersFor(model, factor);
  const tokens = (value: number | null | undefined) => (value == null ? null : integer(value));
  return (
    <SideDrawer
      open
      width={520}
      title={model.modelName}
      meta={makerOf(model.modelName)}
      onClose={onClose}
      headerActions={
        <CopyButton value={model.modelName} label={t('pricing.copyName', { name: model.modelName })} size={32} />
      }
    >
      <DrawerSection title={t('pricing.prices')} explanation={t('pricing.pricesOf', { group, ratio: ratio(factor) })}>
        {prices.length === 0 ? <Notice tone="amber">{t('pricing.noPriceText')}</Notice> : <Lines prices={prices} />}
        {tiers.map((tier) => (
          <Tier key={`${String(tier.above)} ${conditionKey(tier.when ?? {})}`} tier={tier} />
        ))}
        {model.effective?.asOf && (
          <Box sx={{ fontSize: 12.5, color: 'text.secondary' }}>
            {t('pricing.asOf', { date: model.effective.asOf })}
          </Box>
        )}
      </DrawerSection>
      <DrawerSection title={t('pricing.about')}>
        <NameValues
          rows={[
            [t('pricing.maker'), makerOf(model.modelName)],
            [t('pricing.maxInput'), tokens(model.maxInputTokens)],
            [t('pricing.maxOutput'), tokens(model.maxOutputTokens)],
            [t('pricing.groups'), <GroupChips key="groups" groups={model.groups} />],
          ]}
        />
      </DrawerSection>
      <DrawerSection title={t('pricing.example')}>
        <CodeBlock text={curlOf(address, model.modelName)} copyLabel={t('pricing.copyExample')} scroll />
      </DrawerSection>
    </SideDrawer>
  );
}

function Tier({ tier: { above, when, factor, prices } }: { readonly tier: PriceTier }) {
  const { t } = useTranslation();
  const title =
    above === null
      ? t('pricing.when', { name: conditionLabel(t, when ?? {}) })
      : t('pricing.above', { tokens: integer(above) });
  return (
    <Box>
      <Box sx={{ fontWeight: 600, fontSize: 13, mb: 0.5 }}>
        {title}
        {factor !== null && <Num>{` ${ratio(factor)}×`}</Num>}
      </Box>
      <Lines prices={prices} />
    </Box>
  );
}

function Lines({ prices }: { readonly prices: readonly QuantityPrice[] }) {
  const { t } = useTranslation();
  return (
    <NameValues
      rows={prices.map(({ quantity, price, isPerMillion }) => [
        t(quantityTexts[quantity]),
        isPerMillion
          ? t('logs.billPerMillion', { price: unitPrice(price) })
          : t('pricing.perUnit', { price: callPrice(price) }),
      ])}
    />
  );
}
