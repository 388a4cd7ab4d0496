import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Who a screen is for: `visitors` need few texts, `everybody` all of them, `users` have to sign in first. */
type Audience = 'visitors' | 'everybody' | 'users';

/** What the console's build says of its files (`client/preloads.ts`). Files are paths of this site. */
interface Built {
  readonly screens: ReadonlyArray<{
    readonly path: string;
    readonly audience: Audience;
    readonly files: readonly string[];
  }>;
  readonly texts: Readonly<Record<string, { readonly first: readonly string[]; readonly rest: readonly string[] }>>;
}

export interface Preloads {
  /** Files of the screen. */
  readonly files: readonly string[];
  /** By language: which one it is only the browser knows. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
}

/** Which files a page will need, told before any of its scripts has run. */
export class ConsolePreloads {
  private readonly screens: ReadonlyArray<Built['screens'][number] & { readonly pattern: RegExp }>;
  private readonly texts: Built['texts'];

  /** @param clientRoot folder of the built console, null when there is none */
  constructor(clientRoot: string | null) {
    const file = clientRoot === null ? null : join(clientRoot, 'preloads.json');
    const built: Built =
      file && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Built) : { screens: [], texts: {} };
    this.texts = built.texts;
    this.screens = built.screens.map((screen) => ({ ...screen, pattern: patternOf(screen.path) }));
  }

  /** @param signedIn whether the browser seems to be: it may be wrong, and then asks for what it needs by itself */
  of(path: string, signedIn: boolean): Preloads {
    const asked = this.screens.find(({ pattern }) => pattern.test(path));
    const shown = asked?.audience === 'users' && !signedIn ? this.screens.find((one) => one.path === '/login') : asked;
    const all = shown !== undefined && shown.audience !== 'visitors';
    const texts = Object.entries(this.texts).map(([language, { first, rest }]) => [
      language,
      all ? [...first, ...rest] : first,
    ]);
    return { files: shown?.files ?? [], texts: Object.fromEntries(texts) as Preloads['texts'] };
  }
}

/** `:id` stands for one part of a path, as in the console's router. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`);
