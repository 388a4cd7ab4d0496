import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { PanelFigure } from '../../nouns/dashboards/PanelFigure.js';
import { PanelCells } from '../../nouns/dashboards/PanelGrid.js';
import { useStatus } from '../../lib/status.js';
import { useFormat } from '../../lib/useFormat.js';
import { panelsOf } from './panels.js';
import type { DashboardData } from './useDashboard.js';

/** Charts of usage over time, and the users, models and channels with the highest cost. */
export function Charts({
  data,
  everybody,
  oneUser,
}: {
  readonly data: DashboardData;
  readonly everybody: boolean;
  /** The numbers are of one user, so the list of users is left out. */
  readonly oneUser: boolean;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const { quotaPerUnit } = useStatus();
  const panels = useMemo(() => panelsOf(data, { t, format, quotaPerUnit }), [data, t, format, quotaPerUnit]);
  const shown = panels.filter(({ of }) => of === 'all' || (everybody && !(oneUser && of === 'users')));
  return (
    <PanelCells cells={shown.map(({ key, span, figure }) => ({ key, span, content: <PanelFigure {...figure} /> }))} />
  );
}
