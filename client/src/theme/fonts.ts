/** Chinese falls through to the system's fonts: no web font for it is small enough. */
const chinese = '"PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC"';

export const sans = `"Geist Variable", "Geist", system-ui, -apple-system, "Segoe UI", ${chinese}, sans-serif`;
export const mono = `"Geist Mono Variable", ui-monospace, "SF Mono", Menlo, Consolas, ${chinese}, monospace`;
