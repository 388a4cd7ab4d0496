import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { GroupChips } from '../../nouns/groups/GroupChips.js';
import { LazyRichText } from '../../components/LazyRichText.js';
import { ToneChip } from '../../components/Tone.js';
import { dateTime } from '../../lib/format.js';
import { stateTones, type ServiceRow, type StatusData } from './statusData.js';

export function StateChip({ state }: { readonly state: ServiceRow['state'] }) {
  const { t } = useTranslation();
  return (
    <ToneChip dot tone={stateTones[state]}>
      {t(`statusPage.states.${state}`)}
    </ToneChip>
  );
}

/** The state of the whole site in one line. The line is blank while the state loads. */
export function OverallState({ state }: { readonly state: StatusData['state'] | undefined }) {
  const { t } = useTranslation();
  const tone = state ? stateTones[state] : 'grey';
  return (
    <Box
      role="status"
      sx={({ vars }) => ({
        padding: '14px 16px',
        borderRadius: '8px',
        backgroundColor: vars.palette.tone[tone].tint,
        borderLeft: `4px solid ${vars.palette.tone[tone].text}`,
      })}
    >
      <Typography variant="h2" component="p">
        {state ? t(`statusPage.overall.${state}`) : '\u00a0'}
      </Typography>
    </Box>
  );
}

/** An announcement of the operator. */
export function Announcement({ text }: { readonly text: string }) {
  const { t } = useTranslation();
  return (
    <Card sx={{ padding: 2 }}>
      <Typography variant="h2" sx={{ mb: 1 }}>
        {t('home.notice')}
      </Typography>
      <LazyRichText text={text} />
    </Card>
  );
}

const shownFirst = 5;

/** Stretches of failures, newest first. */
export function IncidentList({ incidents }: { readonly incidents: StatusData['incidents'] }) {
  const { t } = useTranslation();
  const [all, setAll] = useState(false);
  if (incidents.length === 0) return null;
  const shown = all ? incidents : incidents.slice(0, shownFirst);
  return (
    <Card component="section" aria-labelledby="incidents" sx={{ padding: 2 }}>
      <Typography variant="h2" id="incidents">
        {t('statusPage.incidents')}
      </Typography>
      <Box component="ul" sx={{ listStyle: 'none', margin: 0, padding: 0, mt: '4px' }}>
        {shown.map((incident) => (
          <Box
            component="li"
            key={`${incident.modelName} ${incident.from} ${incident.groups.join()}`}
            sx={({ vars }) => ({
              display: 'flex',
              flexWrap: 'wrap',
              alignItems: 'center',
              columnGap: 1,
              rowGap: '4px',
              padding: '8px 0',
              '& + li': { borderTop: `1px solid ${vars.palette.surface.line}` },
            })}
          >
            <StateChip state={incident.state} />
            <Box sx={{ fontWeight: 500, overflowWrap: 'anywhere' }}>{incident.modelName}</Box>
            <GroupChips groups={incident.groups} />
            <Box
              className="num"
              sx={{ ml: { sm: 'auto' }, width: { xs: '100%', sm: 'auto' }, color: 'text.secondary' }}
            >
              {incident.until === null
                ? t('statusPage.lasting', { from: dateTime(incident.from) })
                : t('statusPage.ended', { from: dateTime(incident.from), until: dateTime(incident.until) })}
            </Box>
          </Box>
        ))}
      </Box>
      {incidents.length > shownFirst && (
        <Button size="small" sx={{ mt: 1 }} onClick={() => setAll(!all)}>
          {all ? t('statusPage.fewer') : t('statusPage.all', { count: incidents.length })}
        </Button>
      )}
    </Card>
  );
}

/** One bar for each bucket of the period, oldest at the left. */
export function History({ row, buckets }: { readonly row: ServiceRow; readonly buckets: number }) {
  const { t } = useTranslation();
  return (
    <Box
      component="svg"
      role="img"
      aria-label={
        row.problems.length === 0
          ? t('statusPage.noProblems')
          : t('statusPage.problems', { count: row.problems.length, buckets })
      }
      viewBox={`0 0 ${String(buckets)} 1`}
      preserveAspectRatio="none"
      sx={({ vars }) => ({
        display: 'block',
        width: '100%',
        height: 18,
        borderRadius: '2px',
        '& .bars': { stroke: vars.palette.tone.green.text, opacity: 0.75 },
        '& .DEGRADED': { fill: vars.palette.tone.amber.text },
        '& .OUTAGE': { fill: vars.palette.tone.red.text },
        '& .under': { fill: vars.palette.background.paper },
      })}
    >
      <line className="bars" x1={0} x2={buckets} y1={0.5} y2={0.5} strokeWidth={1} strokeDasharray="0.78 0.22" />
      {row.problems.map(({ bucket, state }) => (
        <g key={bucket}>
          <rect className="under" x={bucket} y={0} width={0.78} height={1} />
          <rect className={state} x={bucket} y={0} width={0.78} height={1} />
        </g>
      ))}
    </Box>
  );
}
