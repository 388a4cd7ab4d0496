import Box from '@mui/material/Box';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RowAction } from '../ActionMenu.js';
import { PanelFrame } from './PanelFrame.js';
import { TimeChart, type TimeChartProps } from './TimeChart.js';

/** A chart with its title, legend, and the same numbers as a table. */
export function ChartPanel({
  title,
  actions = [],
  back,
  ...chart
}: TimeChartProps & {
  readonly title: string;
  readonly actions?: readonly RowAction[];
  /** Leads from a part that was broken up to the whole. */
  readonly back?: { readonly label: string; readonly onClick: () => void } | undefined;
}) {
  const { series, labels, format } = chart;
  const { t } = useTranslation();
  const [table, setTable] = useState(false);
  return (
    <PanelFrame
      title={title}
      legend={series.length > 1 ? series : []}
      back={back}
      actions={[
        { label: table ? t('dashboard.asChart') : t('dashboard.asTable'), onSelect: () => setTable(!table) },
        ...actions,
      ]}
    >
      {table ? (
        <Box sx={{ maxHeight: 260, overflow: 'auto' }} tabIndex={0}>
          <Box
            component="table"
            className="num"
            sx={{
              width: '100%',
              borderCollapse: 'collapse',
              fontSize: 12,
              '& th, & td': {
                padding: '4px 8px',
                textAlign: 'right',
                whiteSpace: 'nowrap',
                borderBottom: '1px solid',
                borderColor: 'divider',
              },
              '& th:first-of-type': { textAlign: 'left', fontWeight: 500 },
            }}
          >
            <thead>
              <tr>
                <th scope="col">{t('fields.time')}</th>
                {series.map((one) => (
                  <th key={one.name} scope="col">
                    {one.name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {labels.map((label, index) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  {series.map(({ name, values }) => {
                    const value = values[index] ?? null;
                    return <td key={name}>{value === null ? '–' : format(value)}</td>;
                  })}
                </tr>
              ))}
            </tbody>
          </Box>
        </Box>
      ) : (
        <TimeChart {...chart} />
      )}
    </PanelFrame>
  );
}
