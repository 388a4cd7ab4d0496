import type { StatementDocument, UsageLine } from '../../billing/statements/index.js';
import { paperTexts, type PaperLanguage } from './statement-texts.js';

/** A table on paper. The first column is a text; `numbers` are aligned to the right. */
export interface PaperTable {
  readonly title: string;
  readonly columns: ReadonlyArray<{ readonly head: string; readonly isNumber: boolean; readonly width: number }>;
  readonly rows: ReadonlyArray<readonly string[]>;
}

/** The texts of a print page and of a PDF file, in the language of the reader. */
export interface Paper {
  readonly language: PaperLanguage;
  readonly title: string;
  /** Set for a month that still runs. */
  readonly mark: string | null;
  readonly facts: ReadonlyArray<readonly [name: string, value: string]>;
  readonly parties: ReadonlyArray<{ readonly title: string; readonly lines: readonly string[] }>;
  readonly sums: ReadonlyArray<readonly [name: string, amount: string]>;
  readonly tables: readonly PaperTable[];
  readonly note: string;
}

const text = (head: string, width: number) => ({ head, width, isNumber: false });
const figure = (head: string, width: number) => ({ head, width, isNumber: true });

/** @param maxLines of usage; the rest is one line */
export function toPaper(statement: StatementDocument, language: PaperLanguage, maxLines = Infinity): Paper {
  const t = paperTexts[language];
  const { content, month, number, closedAt } = statement;
  const { seller, buyer, timeZone } = content;
  const amount = amountFormat(language, content);
  const integer = (value: number): string => plainSpaces(new Intl.NumberFormat(language).format(value));
  const moment = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const kinds: Readonly<Record<string, string>> = t.kinds;
  const kind = (name: string): string => kinds[name] ?? name;
  const shown = content.usage.slice(0, maxLines);
  const rest = content.usage.slice(shown.length);
  const sumOf = (field: 'calls' | 'promptTokens' | 'completionTokens' | 'quota'): number =>
    rest.reduce((sum, line) => sum + line[field], 0);
  const lines: UsageLine[] = [
    ...shown,
    ...(rest.length === 0
      ? []
      : [
          {
            tokenId: -1,
            tokenName: t.further,
            modelName: '',
            calls: sumOf('calls'),
            promptTokens: sumOf('promptTokens'),
            completionTokens: sumOf('completionTokens'),
            quota: sumOf('quota'),
          },
        ]),
  ];
  const keyOf = ({ tokenId, tokenName }: Pick<UsageLine, 'tokenId' | 'tokenName'>): string =>
    tokenName || (tokenId === 0 ? t.noKey : `${t.deletedKey} #${tokenId}`);
  const tables: PaperTable[] = [
    {
      title: t.credits,
      columns: [text(t.kind, 5), figure(t.count, 2), figure(t.amount, 2)],
      rows: content.credits.map((one) => [kind(one.kind), integer(one.count), amount(one.amount)]),
    },
    {
      title: t.payments,
      columns: [text(t.order, 4), text(t.kind, 3), text(t.time, 2.5), figure(t.amount, 2)],
      rows: content.payments.map((one) => [
        ...[one.reference, kind(one.kind), moment.format(new Date(one.at)), amount(one.amount)],
      ]),
    },
    {
      title: t.usage,
      columns: [
        ...[text(t.key, 3), text(t.model, 3), figure(t.calls, 1.4)],
        ...[figure(t.promptTokens, 2), figure(t.completionTokens, 2), figure(t.amount, 2)],
      ],
      rows: lines.map((line) => [
        ...[[keyOf(line), line.memberName, line.projectName].filter(Boolean).join(' · '), line.modelName],
        ...[integer(line.calls), integer(line.promptTokens), integer(line.completionTokens), amount(-line.quota)],
      ]),
    },
  ];
  const last = new Date(new Date(content.endsAt).getTime() - 1);
  const tax = (value: string): string => (value === '' ? '' : `${t.taxNumber}: ${value}`);
  return {
    language,
    title: `${t.title} ${month}`,
    mark: closedAt ? null : t.preview,
    facts: [
      ...(number === null ? [] : [[t.number, number] as const]),
      [t.period, `${day(content.startsAt, timeZone)} – ${day(last.toISOString(), timeZone)} (${timeZone})`],
      ...(closedAt ? [[t.closedAt, moment.format(closedAt)] as const] : []),
      [t.account, buyer.username],
    ],
    parties: [
      { title: t.seller, lines: [seller.name, seller.address, tax(seller.taxNumber)].filter(Boolean) },
      { title: t.buyer, lines: [buyer.name || buyer.username, buyer.address, tax(buyer.taxNumber)].filter(Boolean) },
    ],
    sums: [
      [t.opening, amount(statement.opening)],
      [t.credits, amount(statement.credits)],
      [t.usage, amount(-statement.usage)],
      [t.closing, amount(statement.closing)],
    ],
    tables: tables.filter(({ rows }) => rows.length > 0),
    note: seller.note,
  };
}

const day = (moment: string, timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(new Date(moment));

/** Amounts are exact: a unit of quota is shown, however small it is. */
function amountFormat(
  language: PaperLanguage,
  { quotaPerUnit, inCurrency }: StatementDocument['content'],
): (quota: number) => string {
  if (!inCurrency) return (quota) => plainSpaces(new Intl.NumberFormat(language).format(quota));
  const format = new Intl.NumberFormat(language, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  });
  return (quota) => plainSpaces(format.format(quota / quotaPerUnit || 0));
}

/** Fonts often have no glyph for the narrow space of French numbers. */
const plainSpaces = (value: string): string => value.replaceAll('\u202f', '\u00a0');
