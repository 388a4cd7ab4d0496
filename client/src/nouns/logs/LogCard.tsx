import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { RowCard } from '../../components/grid/CardList.js';
import { Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { count, dateTime } from '../../lib/format.js';
import { groupTone } from '../groups/groupTone.js';
import type { useFormat } from '../../lib/useFormat.js';
import { amountOf } from './logAmount.js';
import { contentOf } from './logContent.js';
import { TimeChips, TypeCell } from './logCells.js';
import type { LogRow } from './logRow.js';

export const LogCard = memo(function LogCard({
  row,
  format,
  isAdmin,
}: {
  readonly row: LogRow;
  readonly format: ReturnType<typeof useFormat>;
  readonly isAdmin: boolean;
}) {
  const { t } = useTranslation();
  const isCall = row.type === 'CONSUME';
  const amount = amountOf(row, format);
  const meta = [isAdmin ? row.username : '', row.tokenName].filter(Boolean).join(' · ');
  return (
    <RowCard
      title={(isCall || row.type === 'TEST' ? row.modelName : null) ?? contentOf(row, t)}
      value={amount !== null && <Num>{amount}</Num>}
      meta={meta}
      metaEnd={isCall ? <Num>{`${count(row.promptTokens)} → ${count(row.completionTokens)}`}</Num> : ''}
      chips={<Num>{dateTime(row.at, 'card')}</Num>}
      end={
        <>
          {!isCall && <TypeCell type={row.type} />}
          {row.group && <ToneChip tone={groupTone(row.group)}>{row.group}</ToneChip>}
          {isCall && <TimeChips row={row} />}
        </>
      }
    />
  );
});
