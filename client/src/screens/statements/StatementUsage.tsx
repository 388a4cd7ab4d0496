import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { PlainTable } from '../../components/PlainTable.js';
import { integer } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import { keyName } from './creditName.js';
import type { StatementPartsFragment } from './statements.generated.js';

type Sums = Pick<StatementPartsFragment['usageBy'][number], 'calls' | 'quota'>;

/** The calls of a statement: of an organisation by member and by project, and of each account by key and model. */
export function StatementUsage({ statement }: { readonly statement: StatementPartsFragment }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const { usageBy, usageByMember, usageByProject } = statement;
  const amount = (quota: number) => money(-quota, 'balance');
  const sums = [t('fields.requests'), t('statements.amount')];
  const figuresOf = ({ calls, quota }: Sums) => (
    <>
      <Figure>{integer(calls)}</Figure>
      <Figure>{amount(quota)}</Figure>
    </>
  );
  return (
    <>
      {usageByMember.some(({ memberId }) => memberId !== 0) && (
        <PlainTable
          label={t('statements.usageByMember')}
          title={t('statements.usageByMember')}
          heads={[t('organisations.member'), ...sums]}
        >
          {usageByMember.map((line) => (
            <tr key={line.memberId}>
              <th scope="row">
                {line.memberId === 0 ? t('organisations.sharedKeys') : line.memberName || `#${line.memberId}`}
              </th>
              {figuresOf(line)}
            </tr>
          ))}
        </PlainTable>
      )}
      {usageByProject.some(({ projectId }) => projectId !== 0) && (
        <PlainTable
          label={t('statements.usageByProject')}
          title={t('statements.usageByProject')}
          heads={[t('organisations.project'), ...sums]}
        >
          {usageByProject.map((line) => (
            <tr key={line.projectId}>
              <th scope="row">
                {line.projectId === 0 ? t('organisations.noProject') : line.projectName || `#${line.projectId}`}
              </th>
              {figuresOf(line)}
            </tr>
          ))}
        </PlainTable>
      )}
      <PlainTable
        label={t('statements.usage')}
        title={t('statements.usage')}
        heads={[
          t('fields.key'),
          t('fields.model'),
          t('fields.requests'),
          t('statements.promptTokens'),
          t('statements.completionTokens'),
          t('statements.amount'),
        ]}
        texts={2}
        note={usageBy.length === 0 ? t('statements.noUsage') : undefined}
      >
        {usageBy.map((line) => (
          <tr key={`${line.tokenId ?? ''} ${line.modelName ?? ''}`}>
            <th scope="row">{[keyName(t, line), line.memberName, line.projectName].filter(Boolean).join(' · ')}</th>
            <Figure>{line.modelName}</Figure>
            <Figure>{integer(line.calls)}</Figure>
            <Figure>{integer(line.promptTokens)}</Figure>
            <Figure>{integer(line.completionTokens)}</Figure>
            <Figure>{amount(line.quota)}</Figure>
          </tr>
        ))}
      </PlainTable>
    </>
  );
}

/** A cell of a table of figures. */
export const Figure = ({ children }: { readonly children: ReactNode }) => (
  <td className="num" style={{ whiteSpace: 'nowrap' }}>
    {children}
  </td>
);
