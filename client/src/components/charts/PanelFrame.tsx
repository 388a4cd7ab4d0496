import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import MuiLink from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { RowAction } from '../ActionMenu.js';
import { RowMenu } from '../RowMenu.js';

/** The card of a panel: its title, legend and menu above its content. */
export function PanelFrame({
  title,
  legend = [],
  back,
  actions,
  children,
}: {
  readonly title: string;
  readonly legend?: readonly {
    readonly name: string;
    readonly color: string;
    readonly onOpen?: (() => void) | undefined;
    readonly isOpening?: boolean;
  }[];
  readonly back?: { readonly label: string; readonly onClick: () => void } | undefined;
  readonly actions: readonly RowAction[];
  readonly children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <Card
      component="section"
      aria-label={title}
      sx={{ padding: '12px 16px 16px', minWidth: 0, display: 'flex', flexDirection: 'column' }}
    >
      <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: '12px', minHeight: 32, mb: 1 }}>
        <Box sx={{ display: 'flex', flex: 1, alignItems: 'center', flexWrap: 'wrap', gap: '4px 12px', minHeight: 32 }}>
          <Typography variant="h2" sx={{ fontSize: 14, mr: 'auto' }}>
            {title}
          </Typography>
          {legend.map((one) => (
            <Box
              key={one.name}
              sx={{ display: 'inline-flex', alignItems: 'center', gap: '6px', fontSize: 12, color: 'text.secondary' }}
            >
              <Box aria-hidden sx={{ width: 8, height: 8, borderRadius: '2px', backgroundColor: one.color }} />
              {one.onOpen ? (
                <MuiLink
                  component="button"
                  type="button"
                  color="inherit"
                  aria-busy={one.isOpening}
                  onClick={one.onOpen}
                  sx={{ opacity: one.isOpening ? 0.5 : 1 }}
                >
                  {one.name}
                </MuiLink>
              ) : (
                one.name
              )}
            </Box>
          ))}
          {back && (
            <MuiLink component="button" type="button" sx={{ fontSize: 12, minHeight: 24 }} onClick={back.onClick}>
              {back.label}
            </MuiLink>
          )}
        </Box>
        {actions.length > 0 && <RowMenu label={t('dashboard.moreOf', { name: title })} actions={actions} />}
      </Box>
      {children}
    </Card>
  );
}
