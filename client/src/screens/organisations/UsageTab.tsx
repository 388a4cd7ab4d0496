import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailure } from '../../components/LoadFailure.js';
import { PlainTable } from '../../components/PlainTable.js';
import { integer } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import {
  OrganisationUsageDocument,
  type MemberRowFragment,
  type ProjectRowFragment,
} from './organisations.generated.js';

const days = 30;

interface UsageLine {
  readonly name: string;
  readonly calls: number;
  readonly quota: number;
}

/** Usage of the last 30 days by member, project and model, as far as the role allows. */
export function UsageTab({
  members,
  projects,
}: {
  readonly members: readonly MemberRowFragment[];
  readonly projects: readonly ProjectRowFragment[];
}) {
  const { t } = useTranslation();
  // The beginning stays the same while the tab is open, so that the query is not sent again.
  const [from] = useState(() => new Date(Date.now() - days * 86_400_000).toISOString());
  const { data, error, refetch } = useQuery(OrganisationUsageDocument, {
    variables: { from },
    fetchPolicy: 'network-only',
  });
  if (error && !data) {
    return <LoadFailure title={t('organisations.loadFailed')} error={error} onRetry={() => void refetch()} />;
  }
  if (!data) return <Skeleton variant="rectangular" height={240} />;
  const ofMember = (id: number | null | undefined) =>
    id ? (members.find((member) => member.id === id)?.username ?? `#${id}`) : t('organisations.sharedKeys');
  const ofProject = (id: number | null | undefined) =>
    id ? (projects.find((project) => project.id === id)?.name ?? `#${id}`) : t('organisations.noProject');
  return (
    <Box sx={{ display: 'grid', gap: 2, maxWidth: 960 }}>
      <Box sx={{ fontSize: 13, color: 'text.secondary' }}>{t('organisations.usageText')}</Box>
      <UsageTable
        title={t('organisations.membersTab')}
        lines={data.byMember?.items.map(({ key, metrics }) => ({ name: ofMember(key.memberId), ...metrics })) ?? []}
      />
      <UsageTable
        title={t('organisations.projectsTab')}
        lines={data.byProject?.items.map(({ key, metrics }) => ({ name: ofProject(key.projectId), ...metrics })) ?? []}
      />
      <UsageTable
        title={t('fields.models')}
        lines={data.byModel?.items.map(({ key, metrics }) => ({ name: key.modelName ?? '', ...metrics })) ?? []}
      />
    </Box>
  );
}

function UsageTable({ title, lines }: { readonly title: string; readonly lines: readonly UsageLine[] }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  return (
    <PlainTable
      label={title}
      title={title}
      heads={[t('fields.name'), t('organisations.requests'), t('organisations.charged')]}
    >
      {lines.map(({ name, calls, quota }) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td className="num">{integer(calls)}</td>
          <td className="num">{money(quota, 'balance')}</td>
        </tr>
      ))}
    </PlainTable>
  );
}
