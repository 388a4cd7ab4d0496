import { memo } from 'react';
import { RowCard } from '../../components/grid/CardList.js';
import { Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { count, dateTime } from '../../lib/format.js';
import { groupTone } from '../../lib/groupTone.js';
import type { useFormat } from '../../lib/useFormat.js';
import { LogType, TimeChips, TypeCell } from './logCells.js';
import type { LogRowFragment } from './logs.generated.js';
import { parseLogOther } from './logOther.wire.js';

export const LogCard = memo(function LogCard({
  row,
  format,
  isAdmin,
}: {
  readonly row: LogRowFragment;
  readonly format: ReturnType<typeof useFormat>;
  readonly isAdmin: boolean;
}) {
  const isCall = row.type === LogType.consume;
  const meta = [isAdmin ? row.username : '', row.tokenName].filter(Boolean).join(' · ');
  return (
    <RowCard
      title={isCall ? row.modelName : row.content}
      value={(isCall || row.quota !== 0) && <Num>{format.money(row.quota, 'charge')}</Num>}
      meta={meta}
      metaEnd={isCall ? <Num>{`${count(row.promptTokens)} → ${count(row.completionTokens)}`}</Num> : ''}
      chips={<Num>{dateTime(row.createdAt, 'card')}</Num>}
      end={
        <>
          {!isCall && <TypeCell type={row.type} />}
          {row.group && <ToneChip tone={groupTone(row.group)}>{row.group}</ToneChip>}
          {isCall && <TimeChips row={row} other={parseLogOther(row.other)} />}
        </>
      }
    />
  );
});
