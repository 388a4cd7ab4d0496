import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

/** The empty state of a list or a page: title, explanation, and an action. */
export function EmptyState({
  icon,
  title,
  text,
  action,
  children,
}: {
  readonly icon?: ReactNode;
  readonly title: string;
  readonly text?: string;
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <Box
      sx={{
        display: 'flex',
        flexDirection: 'column',
        alignItems: 'center',
        padding: { xs: '48px 20px', sm: '72px 24px' },
      }}
    >
      {icon && (
        <Box
          aria-hidden
          sx={({ vars }) => ({
            width: 40,
            height: 40,
            display: 'grid',
            placeItems: 'center',
            borderRadius: '8px',
            border: `1px solid ${vars.palette.surface.line}`,
            backgroundColor: vars.palette.surface.sunken,
            color: vars.palette.text.secondary,
            mb: 1.5,
            '& svg': { fontSize: 20 },
          })}
        >
          {icon}
        </Box>
      )}
      <Typography variant="h2">{title}</Typography>
      {text && (
        <Typography
          variant="body2"
          color="textSecondary"
          align="center"
          sx={{ mt: '4px', maxWidth: 400, textWrap: 'balance' }}
        >
          {text}
        </Typography>
      )}
      {action && <Box sx={{ mt: 2.5 }}>{action}</Box>}
      {children}
    </Box>
  );
}
