import { skipToken, useQuery } from '@apollo/client/react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PanelFigure } from '../../nouns/dashboards/PanelFigure.js';
import { PanelCells } from '../../nouns/dashboards/PanelGrid.js';
import { useStatus } from '../../lib/status.js';
import { useFormat } from '../../lib/useFormat.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import { useFailureToast } from '../../components/useFailureToast.js';
import { chartColor } from '../../nouns/dashboards/chartColors.js';
import type { Figure } from '../../nouns/dashboards/PanelFigure.js';
import { SpendOfModelsDocument } from './dashboard.generated.js';
import { brokenUp, namedModels, otherSpend, panelsOf } from './panels.js';
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
    <PanelCells
      cells={shown.map(({ key, span, figure }) => ({
        key,
        span,
        content: key === 'spend' ? <SpendFigure figure={figure} data={data} /> : <PanelFigure {...figure} />,
      }))}
    />
  );
}

/** Spend by model. A click on "Other" shows the models in it, which are loaded then. */
function SpendFigure({ figure, data }: { readonly figure: Figure; readonly data: DashboardData }) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const [isOpen, setOpen] = useState(false);
  const names = data.models.slice(namedModels, namedModels + brokenUp).flatMap(({ key }) => key.modelName ?? []);
  const { question } = data;
  const {
    data: answer,
    error,
    loading,
  } = useQuery(
    SpendOfModelsDocument,
    isOpen && names.length > 0
      ? { variables: { ...question, filter: { ...question.filter, models: names } }, fetchPolicy: 'no-cache' }
      : skipToken,
  );
  useFailureToast(error, true);
  const named = isOpen ? (answer?.usage ?? answer?.myUsage)?.items : undefined;
  const rows = useMemo(() => named && otherSpend(data.spend, named), [named, data.spend]);
  const open = useCallback(() => setOpen(true), []);
  useEffect(() => {
    // Another click asks again.
    if (error) setOpen(false);
  }, [error]);
  // A phone has the list of models below the chart, not beside it.
  const height = mobile ? { height: 280 } : {};
  // Without names, "Other" has no models that could be shown.
  const other = names.length > 0 ? { onOther: open, isOtherLoading: loading } : {};
  if (!rows) return <PanelFigure {...figure} {...height} {...other} />;
  const { before: _all, ...own } = figure;
  return (
    <PanelFigure
      {...own}
      {...height}
      title={t('dashboard.otherModels')}
      rows={rows}
      colorOf={laterColor}
      back={{ label: t('dashboard.allModels'), onClick: () => setOpen(false) }}
    />
  );
}

/** The colours that the named models do not have come first. */
const laterColor = (index: number): string => chartColor(namedModels + index);
