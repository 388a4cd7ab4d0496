import { createTheme, type PaletteOptions, type Theme } from '@mui/material/styles';
import './augment.js';
import { controlOverrides } from './controls.js';
import { sans } from './fonts.js';
import { gridOverrides } from './grid.js';
import { surfaceOverrides } from './surfaces.js';
import { dark, light, type SchemeTokens } from './tokens.js';

/** The key under which the choice light, dark or system is kept; `public/boot.js` reads it before the first paint. */
export const themeStorageKey = 'theme-mode';

function toPalette(tokens: SchemeTokens): PaletteOptions {
  return {
    primary: { ...tokens.primary, contrastText: tokens.filled.text },
    secondary: { main: tokens.text.secondary },
    error: { main: tokens.tones.red.text },
    warning: { main: tokens.tones.amber.text },
    success: { main: tokens.tones.green.text },
    info: { main: tokens.tones.blue.text },
    background: { default: tokens.canvas, paper: tokens.paper },
    divider: tokens.surface.line,
    text: tokens.text,
    action: tokens.action,
    surface: tokens.surface,
    tone: tokens.tones,
    filled: tokens.filled,
    chart: tokens.chart,
  };
}

const makeTheme = () =>
  createTheme({
    cssVariables: { colorSchemeSelector: 'data-theme' },
    colorSchemes: { light: { palette: toPalette(light) }, dark: { palette: toPalette(dark) } },
    shape: { borderRadius: 6 },
    spacing: 8,
    breakpoints: { values: { xs: 0, sm: 600, md: 1024, lg: 1280, xl: 1536 } },
    transitions: {
      duration: {
        shortest: 120,
        shorter: 120,
        short: 120,
        standard: 160,
        complex: 160,
        enteringScreen: 160,
        leavingScreen: 160,
      },
      easing: { easeInOut: 'ease-out', easeOut: 'ease-out', easeIn: 'ease-out', sharp: 'ease-out' },
    },
    typography: {
      fontFamily: sans,
      fontSize: 13,
      htmlFontSize: 16,
      h1: { fontSize: 20, lineHeight: '28px', fontWeight: 600, letterSpacing: '-0.015em' },
      h2: { fontSize: 15, lineHeight: '22px', fontWeight: 600, letterSpacing: '-0.005em' },
      h3: { fontSize: 13, lineHeight: '20px', fontWeight: 600 },
      h4: { fontSize: 28, lineHeight: '34px', fontWeight: 600, letterSpacing: '-0.025em' },
      body1: { fontSize: 14, lineHeight: '21px' },
      body2: { fontSize: 13, lineHeight: '20px' },
      caption: { fontSize: 12, lineHeight: '16px' },
      subtitle2: { fontSize: 12, lineHeight: '16px', fontWeight: 500 },
      button: { fontSize: 13, lineHeight: '20px', fontWeight: 500, textTransform: 'none' },
    },
    components: { ...surfaceOverrides, ...controlOverrides, ...gridOverrides },
  });

let made: Theme | undefined;

/** The console's theme, created on first use: it takes 100 ms on a slow phone, so start-up decides when. */
export const consoleTheme = (): Theme => (made ??= makeTheme());
