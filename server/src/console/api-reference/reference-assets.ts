/** Style of the reference page: the console's colors, light and dark. */
export const style = `:root { color-scheme: light dark; --text: #1f2328; --soft: #59636e; --line: #d8dee4; --back: #fff; --panel: #f6f8fa; --link: #0b57d0;
  --get: #0b6e4f; --post: #0b57d0; --put: #8a5a00; --delete: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ed; --soft: #a3adb8; --line: #343b44; --back: #12161b; --panel: #1b2027; --link: #8ab4f8;
  --get: #5fd0a4; --post: #8ab4f8; --put: #f0b95c; --delete: #f28b82; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--back); font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Microsoft YaHei", sans-serif; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
.layout { display: grid; grid-template-columns: 260px minmax(0, 1fr); max-width: 1280px; margin: 0 auto; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 24px 16px; border-right: 1px solid var(--line); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: 5px 8px; border-radius: 6px; color: var(--text); }
nav li a:hover { background: var(--panel); text-decoration: none; }
main { padding: 24px 40px 80px; }
h1 { margin: 0 0 8px; font-size: 28px; }
h2 { margin: 40px 0 4px; font-size: 20px; scroll-margin-top: 16px; }
h3 { margin: 16px 0 6px; font-size: 13px; color: var(--soft); }
p { margin: 6px 0; max-width: 75ch; }
.soft { color: var(--soft); }
input[type=search] { width: 100%; margin: 12px 0 16px; padding: 8px 10px; font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 6px; }
details { border: 1px solid var(--line); border-radius: 8px; margin: 8px 0; scroll-margin-top: 16px; }
summary { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 12px; padding: 9px 14px; cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary:hover, details[open] > summary { background: var(--panel); border-radius: 8px; }
summary .what { color: var(--soft); flex: 1 1 220px; }
summary .who { color: var(--soft); font-size: 13px; }
.method { font: 600 12px/1 ui-monospace, "SF Mono", Menlo, Consolas, monospace; width: 54px; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .delete { color: var(--delete); }
code, pre { font: 13px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
summary code { overflow-wrap: anywhere; }
.body { padding: 4px 14px 14px; }
pre { margin: 4px 0; padding: 10px 12px; overflow-x: auto; background: var(--panel); border-radius: 6px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
td, th { text-align: left; vertical-align: top; padding: 5px 12px 5px 0; border-top: 1px solid var(--line); }
th { font-weight: 500; color: var(--soft); border-top: 0; }
td:first-child { white-space: nowrap; }
[hidden] { display: none !important; }
@media (max-width: 760px) { .layout { display: block; } nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); }
  nav ul { display: none; } main { padding: 16px; } td:first-child { white-space: normal; overflow-wrap: anywhere; width: 38%; } }
`;

/** Filters the operations while the reader types, and opens the operation that the URL names. */
export const script = `const box = document.querySelector('input[type=search]');
const sections = [...document.querySelectorAll('section')];
const filter = () => {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const section of sections) {
    let shown = 0;
    for (const one of section.querySelectorAll('details')) {
      const text = one.querySelector('summary').textContent.toLowerCase();
      one.hidden = !words.every((word) => text.includes(word));
      if (!one.hidden) shown += 1;
    }
    section.hidden = shown === 0;
  }
  document.querySelector('.none').hidden = sections.some((section) => !section.hidden);
};
box.addEventListener('input', filter);
const open = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
addEventListener('hashchange', open);
open();
`;
