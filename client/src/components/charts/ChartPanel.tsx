import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RowMenu } from '../RowMenu.js';
import { TimeChart, type TimeChartProps } from './TimeChart.js';

/** A chart with its title, legend, and the same numbers as a table. */
export function ChartPanel({ title, ...chart }: TimeChartProps & { readonly title: string }) {
  const { series, labels, format } = chart;
  const { t } = useTranslation();
  const [table, setTable] = useState(false);
  return (
    <Card component="section" aria-label={title} sx={{ padding: '12px 16px 16px', minWidth: 0 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: '4px 12px', minHeight: 32, mb: 1 }}>
        <Typography variant="h2" sx={{ fontSize: 14, mr: 'auto' }}>
          {title}
        </Typography>
        {series.length > 1 &&
          series.map((one) => (
            <Box
              key={one.name}
              sx={{ display: 'inline-flex', alignItems: 'center', gap: '6px', fontSize: 12, color: 'text.secondary' }}
            >
              <Box aria-hidden sx={{ width: 8, height: 8, borderRadius: '2px', backgroundColor: one.color }} />
              {one.name}
            </Box>
          ))}
        <RowMenu
          label={t('dashboard.moreOf', { name: title })}
          actions={[
            {
              label: table ? t('dashboard.asChart') : t('dashboard.asTable'),
              onSelect: () => setTable(!table),
            },
          ]}
        />
      </Box>
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
                  {series.map((one) => (
                    <td key={one.name}>{format(one.values[index] ?? 0)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </Box>
        </Box>
      ) : (
        <TimeChart {...chart} />
      )}
    </Card>
  );
}
