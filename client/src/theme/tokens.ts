/** The palette: plain values, one table per theme. Components use only the CSS variables generated from them. */
export interface Surface {
  readonly sunken: string;
  readonly hover: string;
  readonly line: string;
  readonly lineStrong: string;
  readonly track: string;
}

/** A tone is a pair: text on its tint. */
export interface TonePair {
  readonly text: string;
  readonly tint: string;
}

export const toneNames = ['green', 'lime', 'amber', 'orange', 'red', 'blue', 'violet', 'teal', 'grey'] as const;
export type ToneName = (typeof toneNames)[number];
export type Tones = Readonly<Record<ToneName, TonePair>>;

export interface SchemeTokens {
  readonly canvas: string;
  readonly paper: string;
  readonly surface: Surface;
  readonly text: { readonly primary: string; readonly secondary: string; readonly disabled: string };
  readonly primary: { readonly main: string; readonly light: string; readonly dark: string };
  readonly filled: { readonly main: string; readonly text: string; readonly hover: string };
  readonly action: { readonly hover: string; readonly selected: string };
  readonly tones: Tones;
  /** In the order charts use them; the last is "Other". */
  readonly chart: readonly string[];
}

const tone = (text: string, tint: string): TonePair => ({ text, tint });

export const light: SchemeTokens = {
  canvas: '#F5F7F7',
  paper: '#FFFFFF',
  surface: { sunken: '#F0F3F3', hover: '#F3F6F6', line: '#E1E6E7', lineStrong: '#B9C3C6', track: '#87939A' },
  text: { primary: '#12181B', secondary: '#55626A', disabled: '#606D74' },
  primary: { main: '#0E6A74', light: '#2B8E98', dark: '#0A525A' },
  filled: { main: '#0E6A74', text: '#FFFFFF', hover: '#0A525A' },
  action: { hover: 'rgba(18, 24, 27, 0.045)', selected: 'rgba(14, 106, 116, 0.09)' },
  tones: {
    green: tone('#17693C', '#E3F3E9'),
    lime: tone('#4F6A08', '#EEF5D3'),
    amber: tone('#855300', '#FDF1D3'),
    orange: tone('#A5450A', '#FDEADB'),
    red: tone('#AE2525', '#FCE7E6'),
    blue: tone('#1D5AB4', '#E5EEFB'),
    violet: tone('#6541B8', '#EEE9FA'),
    teal: tone('#0B5F68', '#DFF1F2'),
    grey: tone('#4F5C64', '#EBEFF0'),
  },
  chart: ['#0E737D', '#C4841A', '#5B6FD6', '#D9694A', '#64993A', '#A05BB8', '#3A93C9', '#8C979D'],
};

export const dark: SchemeTokens = {
  canvas: '#0D1113',
  paper: '#14191C',
  surface: { sunken: '#101517', hover: '#1A2023', line: '#252D31', lineStrong: '#3A454A', track: '#5F6C73' },
  text: { primary: '#E8EDEE', secondary: '#A0ACB2', disabled: '#8D9AA3' },
  primary: { main: '#4DBDC5', light: '#7BD2D8', dark: '#2F9FA8' },
  filled: { main: '#2F9FA8', text: '#04191B', hover: '#3BB0B9' },
  action: { hover: 'rgba(255, 255, 255, 0.05)', selected: 'rgba(77, 189, 197, 0.14)' },
  tones: {
    green: tone('#74CF98', '#16291E'),
    lime: tone('#B7D15B', '#23290F'),
    amber: tone('#E8BB62', '#2D2411'),
    orange: tone('#F19C67', '#301E12'),
    red: tone('#F4938C', '#331919'),
    blue: tone('#8AB6F6', '#16233A'),
    violet: tone('#B9A2F2', '#241D38'),
    teal: tone('#5CC8CF', '#0F2A2D'),
    grey: tone('#A9B5BB', '#20282C'),
  },
  chart: ['#37B0B8', '#E8B556', '#8A9AF0', '#EC8A6E', '#93C765', '#C48ADB', '#74BDEB', '#6D7A81'],
};
