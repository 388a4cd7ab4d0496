/**
 * Chinese and Japanese characters fall through to the system's fonts: no web font for them is small enough. Both languages
 * draw many of them differently, so the page's language decides.
 */
const han = 'var(--han-fonts)';
export const hanFonts = {
  chinese: '"PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC"',
  japanese: '"Hiragino Sans", "Yu Gothic UI", "Meiryo", "Noto Sans CJK JP", "Noto Sans JP"',
};

export const sans = `"Geist Variable", "Geist", system-ui, -apple-system, "Segoe UI", ${han}, sans-serif`;
export const mono = `"Geist Mono Variable", ui-monospace, "SF Mono", Menlo, Consolas, ${han}, monospace`;
