/** Search and copy buttons of the documentation. Pages are complete without it. */
const form = document.querySelector('form.search');
const field = form.querySelector('input');
const list = form.querySelector('ol');
const maxResults = 12;
let index;

const load = () =>
  (index ??= fetch(form.dataset.index)
    .then((response) => (response.ok ? response.json() : []))
    .then((entries) => entries.map((entry) => ({ entry, lower: entry.map((text) => text.toLowerCase()) }))));

/** Every word has to occur; a word counts most in the page's title, then in the heading. */
function score({ lower: [, title, heading, text] }, words) {
  let sum = 0;
  for (const word of words) {
    const points = (title.includes(word) ? 8 : 0) + (heading.includes(word) ? 5 : 0) + (text.includes(word) ? 1 : 0);
    if (points === 0) return 0;
    sum += points + (title === word || heading === word ? 8 : 0);
  }
  return heading === '' ? sum + 1 : sum;
}

/** The text around the first word that occurs. */
function excerpt({ entry, lower }, words) {
  const text = entry[3];
  const found = words.map((word) => lower[3].indexOf(word)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...(found.length > 0 ? found : [0])) - 40);
  return `${start > 0 ? '… ' : ''}${text.slice(start, start + 140)}${text.length > start + 140 ? ' …' : ''}`;
}

function line(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

async function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return void (list.hidden = true);
  const entries = await load();
  const found = entries
    .map((one) => ({ one, points: score(one, words) }))
    .filter(({ points }) => points > 0)
    .sort((left, right) => right.points - left.points)
    .slice(0, maxResults);
  list.replaceChildren(
    ...found.map(({ one }) => {
      const [url, title, heading] = one.entry;
      const link = document.createElement('a');
      link.href = url;
      link.append(line('b', heading ? `${title} · ${heading}` : title), line('small', excerpt(one, words)));
      const item = document.createElement('li');
      item.append(link);
      return item;
    }),
  );
  if (found.length === 0) {
    const none = line('li', form.dataset.none);
    none.className = 'none';
    list.append(none);
  }
  list.hidden = false;
}

/** Arrow keys walk through field and results. */
function walk(event) {
  const stops = [field, ...list.querySelectorAll('a')];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === 'Escape') list.hidden = true;
  if (!step || list.hidden) return;
  event.preventDefault();
  stops[Math.max(0, Math.min(stops.length - 1, stops.indexOf(document.activeElement) + step))].focus();
}

field.addEventListener('focus', load);
field.addEventListener('input', search);
form.addEventListener('keydown', walk);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  list.querySelector('a')?.click();
});
document.addEventListener('click', ({ target }) => {
  if (!form.contains(target) || target.closest('#results a')) list.hidden = true;
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || /^(?:INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '')) return;
  event.preventDefault();
  field.focus();
});

// The clipboard exists on https and on this machine only.
if (navigator.clipboard) {
  const [copy, copied] = document.documentElement.lang === 'en' ? ['Copy', 'Copied'] : ['复制', '已复制'];
  for (const block of document.querySelectorAll('article pre')) {
    const box = document.createElement('div');
    box.className = 'copied-box';
    block.replaceWith(box);
    const button = line('button', copy);
    button.type = 'button';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = copied;
      setTimeout(() => (button.textContent = copy), 2000);
    });
    box.append(block, button);
  }
}
