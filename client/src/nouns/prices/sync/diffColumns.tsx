import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { RowCard } from '../../../components/grid/CardList.js';
import { SelectBox } from '../../../components/grid/SelectBox.js';
import { column, rightColumn } from '../../../components/grid/columns.js';
import { Dash, Ellipsis, Num } from '../../../components/Text.js';
import { ToneChip } from '../../../components/Tone.js';
import { exactDollars, percent as share, unitPrice } from '../../../lib/format.js';
import { diffTones, figuresOf, offerOf, sourceName, unitPriceOf, type DiffLine } from './diffLine.js';

/** `+20%`; a dash where a price was 0 or nothing changed. */
export function changeText(percent: number | null | undefined): string {
  if (percent == null) return '–';
  return `${percent > 0 ? '+' : percent < 0 ? '−' : ''}${share(Math.abs(percent) / 100, Math.abs(percent) < 10 ? 1 : 0)}`;
}

/** `$3.00 / $15.00`, or the price of a unit. */
function priceText(card: unknown, t: TFunction): string | null {
  if (card === null || card === undefined) return null;
  const { input, output } = figuresOf(card);
  if (input !== null || output !== null) return `${unitPrice(input ?? 0)} / ${unitPrice(output ?? 0)}`;
  const unit = unitPriceOf(card);
  return unit && `${exactDollars(unit[1])} · ${t(`quantities.${unit[0] as 'request'}`)}`;
}

export function KindChip({ line }: { readonly line: DiffLine }) {
  const { t } = useTranslation();
  return <ToneChip tone={diffTones[line.kind]}>{t(`priceSync.kinds.${line.kind}`)}</ToneChip>;
}

export function diffColumns({
  t,
  sources,
  choose,
}: {
  readonly t: TFunction;
  readonly sources: ReadonlyMap<string, string>;
  readonly choose: (model: string, source: string) => void;
}): GridColDef<DiffLine>[] {
  const figure = (text: string | null) => (text === null ? <Dash /> : <Num>{text}</Num>);
  return [
    column('model', t('fields.model'), { flex: 1, minWidth: 180 }, (row) => (
      <Ellipsis title={row.model}>{row.model}</Ellipsis>
    )),
    column('kind', t('priceSync.kind'), 130, (row) => <KindChip line={row} />),
    rightColumn('percent', t('priceSync.change'), 84, (row) => figure(changeText(row.percent))),
    rightColumn('current', t('priceSync.current'), 160, (row) => figure(priceText(row.currentCard, t))),
    rightColumn('offer', t('priceSync.offer'), 160, (row) =>
      figure(priceText(offerOf(row, sources.get(row.model) ?? null), t)),
    ),
    column('source', t('priceSync.source'), 190, (row) =>
      row.kind === 'DISAGREE' ? (
        // A click chooses a source and does not open the row.
        <Box onClick={(event) => event.stopPropagation()} sx={{ width: '100%' }}>
          <SelectBox
            label={t('priceSync.sourceOf', { model: row.model })}
            placeholder={t('priceSync.choose')}
            width="100%"
            value={sources.get(row.model) ?? ''}
            onChange={(source) => choose(row.model, source)}
            choices={row.offers.map(({ source }) => ({ value: source, label: sourceName(source) }))}
          />
        </Box>
      ) : (
        <Ellipsis>{sourceName(row.offers[0]?.source ?? '')}</Ellipsis>
      ),
    ),
  ];
}

/** A line on a phone, with its checkbox. */
export function DiffCard({
  line,
  source,
  isSelected,
  onSelect,
}: {
  readonly line: DiffLine;
  readonly source: string | null;
  readonly isSelected: boolean;
  readonly onSelect: (on: boolean) => void;
}) {
  const { t } = useTranslation();
  return (
    <RowCard
      title={line.model}
      value={line.percent != null && <Num>{changeText(line.percent)}</Num>}
      meta={
        <Num>
          {priceText(line.currentCard, t) ?? '–'} → {priceText(offerOf(line, source), t) ?? '–'}
        </Num>
      }
      chips={<KindChip line={line} />}
      end={
        <Checkbox
          checked={isSelected}
          onClick={(event) => event.stopPropagation()}
          onChange={(_, on) => onSelect(on)}
          slotProps={{ input: { 'aria-label': t('priceSync.selectModel', { model: line.model }) } }}
        />
      }
    />
  );
}
