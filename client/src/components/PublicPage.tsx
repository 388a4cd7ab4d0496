import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { Footer } from './Footer.js';

/** Centred column of the pages before sign-in, with the site's footer except in the setup wizard. */
export function PublicPage({
  width,
  logo,
  title,
  intro,
  children,
}: {
  readonly width: 376 | 560;
  readonly logo?: ReactNode;
  readonly title: string;
  readonly intro?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Box sx={{ minHeight: 'calc(100dvh - 48px)', display: 'flex', flexDirection: 'column' }}>
      <title>{title}</title>
      <Box
        sx={{
          flex: 1,
          width: '100%',
          maxWidth: width + 32,
          mx: 'auto',
          padding: { xs: '24px 16px 40px', sm: width === 376 ? '124px 16px 48px' : '48px 16px' },
        }}
      >
        {logo}
        <Typography variant="h1" sx={{ fontSize: 22, lineHeight: '30px', mt: logo ? 2.5 : 0 }}>
          {title}
        </Typography>
        {intro && (
          <Typography variant="body1" component="p" color="textSecondary">
            {intro}
          </Typography>
        )}
        <Box sx={{ mt: 3 }}>{children}</Box>
      </Box>
      {width === 376 && <Footer />}
    </Box>
  );
}
