import type { Surface, Tones } from './tokens.js';

/** Our own palette entries, known to `theme.vars.palette` and `sx`. */
declare module '@mui/material/styles' {
  interface CssThemeVariables {
    enabled: true;
  }
  interface Palette {
    surface: Surface;
    tone: Tones;
    filled: { main: string; text: string; hover: string };
    chart: readonly string[];
  }
  interface PaletteOptions {
    surface?: Surface;
    tone?: Tones;
    filled?: { main: string; text: string; hover: string };
    chart?: readonly string[];
  }
}
