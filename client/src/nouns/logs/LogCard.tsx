import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { RowCard } from '../../components/grid/CardList.js';
import { Num, TwoLines } from '../../components/Text.js';
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
  const content = contentOf(row, t);
  // A failed call is named by its model, as other calls are. Its error has two lines.
  const isFailed = row.type === 'ERROR' && Boolean(row.modelName);
  const isNamed = isCall || isFailed || row.type === 'TEST';
  const meta = [isAdmin ? row.username : '', row.tokenName, isFailed ? content : ''].filter(Boolean).join(' · ');
  return (
    <RowCard
      title={(isNamed ? row.modelName : null) ?? content}
      value={amount !== null && <Num>{amount}</Num>}
      meta={isFailed ? <TwoLines>{meta}</TwoLines> : meta}
      wrapsMeta={isFailed}
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
