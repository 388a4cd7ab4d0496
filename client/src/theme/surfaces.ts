import type { Components, Theme } from '@mui/material/styles';
import { hanFonts, mono } from './fonts.js';

/** The style of tooltips. It is the same in both themes. */
const tooltipLook = {
  backgroundColor: '#1B2428',
  color: '#F1F5F5',
  fontSize: 12,
  lineHeight: '17px',
  fontWeight: 400,
  padding: '6px 9px',
  borderRadius: 6,
  border: '1px solid #333F44',
} as const;

/** Surfaces: page, cards, drawers, menus, tooltips, progress. */
export const surfaceOverrides: Components<Theme> = {
  MuiCssBaseline: {
    styleOverrides: ({ vars: { palette } }: Theme) => ({
      body: { fontSize: 13, lineHeight: '20px', WebkitFontSmoothing: 'antialiased', MozOsxFontSmoothing: 'grayscale' },
      // Kerning narrows the point in "17.7k" so much that it reads as "177k".
      '.num': { fontVariantNumeric: 'tabular-nums', fontKerning: 'none' },
      '.mono, .mono.MuiInputBase-input': { fontFamily: mono, fontSize: '.94em' },
      html: { '--han-fonts': hanFonts.chinese },
      'html:lang(ja)': { '--han-fonts': hanFonts.japanese },
      ':lang(zh) *, :lang(ja) *': { letterSpacing: '0 !important' },
      ':focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: 2 },
      '@media (prefers-reduced-motion: reduce)': {
        '*, *::before, *::after': {
          animationDuration: '0.01ms !important',
          animationIterationCount: '1 !important',
          // The transition is disabled: an inherited colour would change one level of the page after the other, a frame
          // each.
          transition: 'none !important',
          scrollBehavior: 'auto !important',
        },
      },
    }),
  },
  MuiPaper: { defaultProps: { elevation: 0 }, styleOverrides: { root: { backgroundImage: 'none' } } },
  MuiCard: {
    defaultProps: { variant: 'outlined' },
    styleOverrides: { root: ({ theme }) => ({ borderRadius: 8, borderColor: theme.vars.palette.surface.line }) },
  },
  MuiDrawer: {
    styleOverrides: {
      paper: ({ theme, ownerState }) => ({
        [ownerState.anchor === 'left' ? 'borderRight' : 'borderLeft']: `1px solid ${theme.vars.palette.surface.line}`,
        boxShadow: '-12px 0 40px rgba(8, 16, 18, 0.14)',
      }),
    },
  },
  MuiDialog: {
    styleOverrides: {
      paper: ({ theme }) => ({
        borderRadius: 10,
        border: `1px solid ${theme.vars.palette.surface.line}`,
        boxShadow: '0 8px 28px rgba(8, 16, 18, 0.18)',
        // Full screen on phones, with the buttons at the bottom, within reach of the thumb.
        [theme.breakpoints.down('sm')]: {
          width: '100%',
          maxWidth: '100%',
          height: '100%',
          maxHeight: 'none',
          margin: 0,
          border: 0,
          borderRadius: 0,
          boxShadow: 'none',
          '& > form': { display: 'flex', flexDirection: 'column', flex: '1 1 auto', minHeight: 0 },
          '& .MuiDialogActions-root': { marginTop: 'auto' },
        },
      }),
    },
  },
  MuiDialogTitle: {
    styleOverrides: { root: { fontSize: 15, lineHeight: '22px', fontWeight: 600, padding: '20px 24px 4px' } },
  },
  MuiDialogContent: {
    styleOverrides: {
      root: { padding: '8px 24px 16px', fontSize: 13, '.MuiDialogTitle-root + &': { paddingTop: 8 } },
    },
  },
  MuiDialogActions: {
    styleOverrides: { root: { padding: '8px 24px 20px', gap: 8, '& > :not(style) ~ :not(style)': { marginLeft: 0 } } },
  },
  MuiBackdrop: {
    styleOverrides: { root: { '&:not(.MuiBackdrop-invisible)': { backgroundColor: 'rgba(10, 16, 18, 0.38)' } } },
  },
  MuiPopover: { styleOverrides: { paper: ({ theme }) => floating(theme) } },
  MuiMenu: {
    styleOverrides: { paper: ({ theme }) => floating(theme), list: { padding: 4 } },
  },
  MuiMenuItem: {
    styleOverrides: {
      root: ({ theme }) => ({
        minHeight: 32,
        padding: '6px 10px',
        borderRadius: 4,
        fontSize: 13,
        lineHeight: '20px',
        [theme.breakpoints.down('sm')]: { minHeight: 44 },
      }),
    },
  },
  MuiTooltip: {
    defaultProps: { arrow: false, enterDelay: 300 },
    styleOverrides: {
      tooltip: tooltipLook,
    },
  },
  MuiLinearProgress: {
    styleOverrides: {
      root: ({ theme }) => ({ height: 4, borderRadius: 2, backgroundColor: theme.vars.palette.surface.line }),
    },
  },
  MuiSkeleton: {
    defaultProps: { animation: 'pulse' },
    styleOverrides: { root: { borderRadius: 4, transform: 'none' } },
  },
};

const floating = (theme: Theme) => ({
  borderRadius: 8,
  border: `1px solid ${theme.vars.palette.surface.line}`,
  boxShadow: '0 4px 16px rgba(8, 16, 18, 0.12)',
});
