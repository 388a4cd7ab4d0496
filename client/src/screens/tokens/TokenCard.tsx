import { useTranslation } from 'react-i18next';
import { RowCard } from '../../components/grid/CardList.js';
import { TokenStatusChip } from '../../nouns/tokens/TokenStatusChip.js';
import { ToneChip } from '../../components/Tone.js';
import { groupTone } from '../../nouns/groups/groupTone.js';
import { KeyCell, ModelLimits, QuotaCell, TokenRowActions } from './tokenCells.js';
import { Expiry, TokenName } from './tokenColumns.js';
import { TokenUse } from './TokenUse.js';
import type { TokenRowFragment } from './tokens.generated.js';
import type { TokenActions } from './useTokenActions.js';

export function TokenCard({ row, actions }: { readonly row: TokenRowFragment; readonly actions: TokenActions }) {
  const { t } = useTranslation();
  return (
    <>
      <RowCard
        title={<TokenName row={row} color="inherit" />}
        value={<TokenRowActions row={row} actions={actions} />}
        meta={<KeyCell token={row} />}
      />
      <QuotaCell token={row} />
      <TokenUse token={row} />
      <RowCard
        title=""
        chips={
          <>
            <TokenStatusChip token={row} />
            {row.group && <ToneChip tone={groupTone(row.group)}>{row.group}</ToneChip>}
            {row.modelLimits && <ModelLimits token={row} />}
          </>
        }
        end={row.expiresAt ? <Expiry time={row.expiresAt} never={t('tokens.never')} /> : undefined}
      />
    </>
  );
}
